package offline

import (
	"archive/zip"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// notServed are the ends of names that lie in public/ for those who build the site.
var notServed = []string{".go", ".md", ".new"}

// Archive writes the site as a zip file with one folder, warpscope. The same site gives the same bytes.
func Archive(to io.Writer, dir string) error {
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
		file, err := archive.Create("warpscope/" + name)
		if err != nil {
			return err
		}
		if _, err := file.Write(content); err != nil {
			return err
		}
	}
	return archive.Close()
}
