// Command warpscope checks, runs, tests and formats PTX files without a browser: package headless on this machine.
// Compiled to WebAssembly it is the command of the npm package.
package main

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"warpscope/headless"
)

func main() {
	os.Exit(headless.Command(arguments(), &system{os.Stdin, os.Stdout, os.Stderr}))
}

// system is the machine that the command runs on.
type system struct {
	in       io.Reader
	out, err io.Writer
}

func (s *system) Out(text string) { io.WriteString(s.out, text) }
func (s *system) Err(text string) { io.WriteString(s.err, text) }

func (s *system) Read(name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(s.in)
	}
	return os.ReadFile(name)
}

// Write keeps the mode of an existing file.
func (s *system) Write(name string, data []byte) error { return os.WriteFile(name, data, 0o644) }

// List gives a file itself, or all files below a folder by name. Hidden folders and node_modules are left out.
func (s *system) List(name string) (files []string, folder bool, err error) {
	info, err := os.Stat(name)
	if err != nil || !info.IsDir() {
		return []string{name}, false, err
	}
	err = filepath.WalkDir(name, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := entry.Name()
		if entry.IsDir() && file != name && (strings.HasPrefix(base, ".") || base == "node_modules") {
			return filepath.SkipDir
		}
		if !entry.IsDir() {
			files = append(files, filepath.ToSlash(file))
		}
		return nil
	})
	return files, true, err
}
