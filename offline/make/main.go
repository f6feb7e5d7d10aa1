// Make writes the files that make a site usable without a network; build.sh calls it.
//
//	make DIR         DIR/warpscope.html, the site in one file, and DIR/precache.js, the list for the service worker
//	make DIR FILE    FILE, the archive of the site; its files are of the date of the commit, or SOURCE_DATE_EPOCH
package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"warpscope/offline"
)

func main() {
	var err error
	switch len(os.Args) {
	case 2:
		err = makeSite(os.Args[1])
	case 3:
		err = makeArchive(os.Args[1], os.Args[2])
	default:
		err = fmt.Errorf("usage: make DIR [FILE]")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "offline/make:", err)
		os.Exit(1)
	}
}

func makeSite(dir string) error {
	page, err := offline.OnePage(dir)
	if err != nil {
		return err
	}
	script, err := offline.PrecacheScript(dir)
	if err != nil {
		return err
	}
	if err := put(filepath.Join(dir, offline.OneFile), page); err != nil {
		return err
	}
	return put(filepath.Join(dir, offline.Precache), script)
}

func makeArchive(dir, file string) error {
	date, err := dateOf(dir)
	if err != nil {
		return err
	}
	var archive bytes.Buffer
	if err := offline.Archive(&archive, dir, date); err != nil {
		return err
	}
	return put(file, archive.Bytes())
}

// dateOf is the date of a site: SOURCE_DATE_EPOCH, else that of the commit that it was built from, else, where there is
// no commit or the files differ from it, that of its newest file.
func dateOf(dir string) (time.Time, error) {
	seconds := cmp.Or(os.Getenv("SOURCE_DATE_EPOCH"), commitSeconds(dir))
	if seconds == "" {
		return newest(dir)
	}
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH is a number of seconds, not %q", seconds)
	}
	return time.Unix(n, 0), nil
}

// commitSeconds is the time of the commit that the files around a folder are; "" when they are none.
func commitSeconds(dir string) string {
	changes, err := exec.Command("git", "-C", dir, "status", "--porcelain").Output()
	if err != nil || len(changes) > 0 {
		return ""
	}
	seconds, err := exec.Command("git", "-C", dir, "log", "-1", "--format=%ct").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(seconds))
}

// newest is the time at which a file of a folder was last written.
func newest(dir string) (last time.Time, err error) {
	err = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
		return err
	})
	return last, err
}

// put writes a file at once or not at all.
func put(file string, content []byte) error {
	if err := os.WriteFile(file+".new", content, 0o644); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}
