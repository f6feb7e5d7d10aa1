package offline

import (
	"archive/zip"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// notServed are the ends of names that are in public/ only to build the site.
var notServed = []string{".go", ".md", ".new"}

// firstDate is the earliest date that a zip file can hold.
var firstDate = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// Archive writes the site as a zip file with one folder, warpscope. The same site and date give the same bytes. All
// files are of that date: servers tell versions of a file apart by its date and size, and precache.js has the same size
// in nearly all versions.
func Archive(to io.Writer, dir string, date time.Time) error {
	if date.Before(firstDate) {
		date = firstDate
	}
	names, err := list(dir, func(name string) bool {
		return !slices.Contains(notServed, path.Ext(name)) && !strings.HasPrefix(path.Base(name), ".")
	})
	if err != nil {
		return err
	}
	archive := zip.NewWriter(to)
	for _, name := range names {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		header := &zip.FileHeader{Name: "warpscope/" + name, Method: zip.Deflate, Modified: date.UTC()}
		header.SetMode(0o644)
		file, err := archive.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := file.Write(content); err != nil {
			return err
		}
	}
	return archive.Close()
}
