package headless

import (
	"fmt"
	"slices"
	"strings"
)

// command is a command with the names of its flags.
type command struct{ name, files, does, flags string }

// commands in the order of the usage.
var commands = []command{
	{"check", "PATH...", "read programs, their launch headers, and what is emulated", "json github snippets root"},
	{"run", "FILE", "launch a program as its header says", "json github counters models timeout steps schedules " +
		"schedule entry grid block cluster shared model engine sanitize arg expect"},
	{"test", "PATH...", "run every program that has a launch header", "json github snippets root timeout steps"},
	{"explain", "FILE", "say of a step of a run where the lanes are, and where a value comes from", "json timeout " +
		"step of cta warp lane lanes entry grid block cluster shared model engine sanitize arg"},
	{"fmt", "PATH...", "lay programs out; meaning and comments stay", "json l d w"},
}

// flagHelp says of each flag what it does; value is "" for a switch.
var flagHelp = []struct{ name, value, does string }{
	{"json", "", "print one JSON document"},
	{"github", "", "print annotations for GitHub Actions"},
	{"snippets", "", "in folders, also take the programs within .md, .mdx, .rst and .html files"},
	{"root", "DIR", "the folder that is the root of the site, for programs that documents name with a slash in front"},
	{"timeout", "1m", "stop a run after this time"},
	{"counters", "", "print what each line has counted: sectors, bank conflicts and others; docs/counters.md"},
	{"models", "", "also run under all models of divergence, in step, and say where they differ first"},
	{"steps", "N", "stop a run after that many warp instructions"},
	{"schedules", "N", "also run in N other legal schedules, and say where results or findings differ"},
	{"schedule", "SEED", "run in the schedule of a seed"},
	{"entry", "KERNEL", "the kernel, in place of the header's line"},
	{"grid", "X,Y,Z", "the CTAs of the grid, in place of the header's line"},
	{"block", "X,Y,Z", "the threads of a CTA, in place of the header's line"},
	{"cluster", "X,Y,Z", "the CTAs of a cluster, in place of the header's line"},
	{"shared", "BYTES", "the dynamic shared memory of a CTA, in place of the header's line"},
	{"model", "MODEL", "the model of divergence, in place of the header's line"},
	{"engine", "ENGINE", "what executes the program, in place of the header's line"},
	{"sanitize", "CHECKS", "the sanitizers, in place of the header's line"},
	{"arg", "NAME=VALUE", "in place of the argument's initial value; more than once"},
	{"expect", "TEXT", "one more expectation; more than once"},
	{"step", "N", "the step to explain; without it the end of the run"},
	{"of", "WHAT", "where its value comes from: %r4, out[5]; or who changed it: stack, active, barrier 0"},
	{"cta", "C", "whose CTA; without -cta and -warp that of the warp that runs next"},
	{"warp", "W", "whose warp; without -cta and -warp the warp that runs next"},
	{"lane", "L", "whose lane; without it lane 0"},
	{"lanes", "", "draw in which basic blocks the lanes are, at the steps around"},
	{"l", "", "list files that are laid out otherwise"},
	{"d", "", "show what would change"},
	{"w", "", "rewrite files"},
}

const pathHelp = "\nA PATH is a file, a folder with all below it, or - for the standard input.\n\n"

const exitHelp = `
exit status:
  0  everything is as it should be
  1  a run faulted unexpectedly, was stopped by a limit, missed an expectation, has a finding that none names, or
     ends otherwise in another schedule;
     fmt -l, fmt -d: files are laid out otherwise
  2  wrong usage, a file that cannot be read or written, or nothing to test
  3  not PTX
  4  PTX that is not emulated yet
  5  a launch header, an argument or a setting that does not fit the program
Of several files, the highest.
`

// commandNamed is the command of a name; nil for none.
func commandNamed(name string) *command {
	if i := slices.IndexFunc(commands, func(c command) bool { return c.name == name }); i >= 0 {
		return &commands[i]
	}
	return nil
}

func (c *command) has(flag string) bool { return slices.Contains(strings.Fields(c.flags), flag) }

// help is the usage of the command that the arguments name, or of all.
func help(args []string) string {
	for _, arg := range args[:min(len(args), 2)] {
		if c := commandNamed(arg); c != nil {
			return c.usage()
		}
	}
	return usage()
}

// usage is that of one command.
func (c *command) usage() string {
	var b strings.Builder
	about := pathHelp
	if c.files == "FILE" {
		about = "\nThe FILE - is the standard input.\n\n"
	}
	fmt.Fprintf(&b, "usage: warpscope %s [flags] %s   %s\n%s", c.name, c.files, c.does, about)
	for _, f := range flagHelp {
		if c.has(f.name) {
			flagLine(&b, f.name, f.value, f.does)
		}
	}
	b.WriteString("\nwarpscope help lists all commands and the exit statuses.\n")
	return b.String()
}

// usage is that of all commands.
func usage() string {
	var b strings.Builder
	before := "usage: "
	for _, c := range commands {
		fmt.Fprintf(&b, "%swarpscope %-7s [flags] %-9s%s\n", before, c.name, c.files, c.does)
		before = "       "
	}
	b.WriteString(before + "warpscope version\n" + pathHelp)
	for _, f := range flagHelp {
		var of []string
		for _, c := range commands {
			if c.has(f.name) {
				of = append(of, c.name)
			}
		}
		does := f.does
		if len(of) < len(commands) {
			does += " (" + strings.Join(of, ", ") + ")"
		}
		flagLine(&b, f.name, f.value, does)
	}
	return b.String() + exitHelp
}

// flagLine writes what a flag does, in lines of at most 120 columns.
func flagLine(b *strings.Builder, name, value, does string) {
	const indent, width = 20, 120
	line := fmt.Sprintf("%-*s", indent-1, strings.TrimRight("  -"+name+" "+value, " "))
	for _, word := range strings.Fields(does) {
		if len(line)+1+len(word) > width {
			b.WriteString(line + "\n")
			line = strings.Repeat(" ", indent-1)
		}
		line += " " + word
	}
	b.WriteString(line + "\n")
}
