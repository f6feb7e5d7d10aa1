package headless

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"warpscope/launch"
)

// The exit statuses.
const (
	exitOK = iota
	exitFailed
	exitUsage
	exitNotPTX
	exitNotEmulated
	exitBadLaunch
)

var exitOf = map[Verdict]int{OK: exitOK, Unchecked: exitOK, Failed: exitFailed, Unreadable: exitUsage,
	NotPTX: exitNotPTX, NotEmulated: exitNotEmulated, BadLaunch: exitBadLaunch}

// Host is what the command needs of the system.
type Host interface {
	Read(name string) ([]byte, error) // "-" is the standard input
	Write(name string, data []byte) error
	List(name string) (files []string, folder bool, err error) // all files below a folder, in a fixed order
	Out(text string)
	Err(text string)
}

// Command runs the command line and gives its exit status.
func Command(args []string, host Host) int {
	t := &tool{Host: host, flags: flags{Time: time.Minute, At: -1}}
	if len(args) == 0 {
		t.Err(usage())
		return exitUsage
	}
	run := map[string]func() int{"check": t.check, "run": t.run, "test": t.test, "fmt": t.format,
		"explain": t.explain}
	if args[0] == "help" || slices.ContainsFunc(args, isHelp) {
		t.Out(help(args))
		return exitOK
	}
	switch name := args[0]; name {
	case "version", "-version", "--version":
		t.Out("warpscope " + Version + "\n")
		return exitOK
	default:
		command := run[name]
		if command == nil {
			t.Err("warpscope: there is no command " + strconv.Quote(name) + "\n" + usage())
			return exitUsage
		}
		if why := t.parse(name, args[1:]); why != "" {
			t.Err("warpscope " + name + ": " + why + "\n" + commandNamed(name).usage())
			return exitUsage
		}
		return command()
	}
}

func isHelp(arg string) bool { return arg == "-h" || arg == "-help" || arg == "--help" }

// flags of one invocation.
type flags struct {
	JSON, GitHub, Snippets bool
	Counters, Models       bool
	Names, Diff, Rewrite   bool
	Root                   string // of the site that documents are pages of
	Time                   time.Duration
	Steps                  int64
	Schedules              int    // others to try
	Schedule               uint64 // the seed of the one to run in
	Settings               launch.Settings
	Paths                  []string

	At              int64  // the step to explain; -1: the end
	Of              string // what to explain
	CTA, Warp, Lane *int
	Lanes           bool
}

// tool is one invocation.
type tool struct {
	Host
	flags
}

// parse reads flags and paths, in any order; why is what is wrong with them.
func (t *tool) parse(command string, args []string) (why string) {
	switches := map[string]*bool{"json": &t.JSON, "github": &t.GitHub, "snippets": &t.Snippets, "l": &t.Names,
		"counters": &t.Counters, "models": &t.Models, "lanes": &t.Lanes,
		"d": &t.Diff, "w": &t.Rewrite}
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			t.Paths = append(t.Paths, args[i+1:]...)
			break
		}
		if arg == "-" || !strings.HasPrefix(arg, "-") {
			t.Paths = append(t.Paths, arg)
			continue
		}
		name, value, given := strings.Cut(strings.TrimPrefix(arg[1:], "-"), "=")
		if !commandNamed(command).has(name) {
			return "there is no flag " + arg
		}
		if on := switches[name]; on != nil {
			*on = true
			if yes, err := strconv.ParseBool(value); given && err != nil {
				return fmt.Sprintf("-%s is a switch: -%s or -%s=false, not %q", name, name, name, value)
			} else if given {
				*on = yes
			}
			continue
		}
		if !given {
			if i++; i == len(args) {
				return "the flag " + arg + " needs a value"
			}
			value = args[i]
		}
		if why := t.set(name, value); why != "" {
			return why
		}
	}
	switch {
	case len(t.Paths) == 0:
		return "no file is named"
	case (command == "run" || command == "explain") && len(t.Paths) > 1:
		return "one file at a time"
	}
	return ""
}

// set takes a flag that has a value.
func (t *tool) set(name, value string) (why string) {
	var err error
	switch name {
	case "timeout":
		if t.Time, err = time.ParseDuration(value); err != nil || t.Time <= 0 {
			return "-timeout needs a time such as 30s, not " + strconv.Quote(value)
		}
	case "steps":
		if t.Steps, err = strconv.ParseInt(value, 10, 64); err != nil || t.Steps <= 0 {
			return "-steps needs a number from 1 up, not " + strconv.Quote(value)
		}
	case "schedules":
		if t.Schedules, err = strconv.Atoi(value); err != nil || t.Schedules <= 0 {
			return "-schedules needs a number from 1 up, not " + strconv.Quote(value)
		}
	case "schedule":
		if t.Schedule, err = strconv.ParseUint(value, 10, 64); err != nil {
			return "-schedule needs a number, not " + strconv.Quote(value)
		}
	case "step":
		if t.At, err = strconv.ParseInt(value, 10, 64); err != nil || t.At < 0 {
			return "-step needs a number from 0 up, not " + strconv.Quote(value)
		}
	case "of":
		t.Of = value
	case "cta", "warp", "lane":
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 {
			return "-" + name + " needs a number from 0 up, not " + strconv.Quote(value)
		}
		*map[string]**int{"cta": &t.CTA, "warp": &t.Warp, "lane": &t.Lane}[name] = &n
	case "root":
		t.Root = value
	case "arg":
		parameter, text, ok := strings.Cut(value, "=")
		if !ok {
			return "-arg needs NAME=VALUE, not " + strconv.Quote(value)
		}
		t.Settings.Values = append(t.Settings.Values,
			launch.Value{Name: strings.TrimSpace(parameter), Text: strings.TrimSpace(text)})
	default:
		t.Settings.Lines = append(t.Settings.Lines, name+" "+value)
	}
	return ""
}

func (t *tool) options() Options {
	t.Settings.Flags = true
	return Options{t.Settings, t.Steps, t.Time, t.Counters, t.Schedule, t.Models, t.Schedules}
}

func (t *tool) check() int {
	var report report
	for _, p := range t.programs(t.Snippets) {
		if p.fragment {
			report.Skipped++
			continue
		}
		report.add(p.check())
	}
	return t.report(&report)
}

func (t *tool) run() int {
	var report report
	for _, p := range t.programs(false) {
		report.add(p.run(t.options()))
	}
	if len(report.Files) != 1 {
		t.Err("warpscope run: " + t.Paths[0] + " is not one program\n")
		return exitUsage
	}
	report.single = true
	return t.report(&report)
}

func (t *tool) test() int {
	report := report{test: true}
	for _, p := range t.programs(t.Snippets) {
		switch {
		case p.err == nil && (p.fragment || !launch.HasHeader(p.src)):
			report.Skipped++
		default:
			report.add(p.run(t.options()))
		}
	}
	status := t.report(&report)
	if len(report.Files) == 0 {
		t.Err(fmt.Sprintf("warpscope test: no program with a launch header in %s\n", strings.Join(t.Paths, " ")))
		return exitUsage
	}
	return status
}
