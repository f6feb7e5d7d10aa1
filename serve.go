// Warpscope's development server: builds the site when something is stale and serves it on this machine.
//
//	go run .                        on 127.0.0.1:8080, or the next free port
//	go run . -addr 127.0.0.1:9000
//
// Nothing in the page needs this server; public/ works under any path of any static file server.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"warpscope/offline"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:8080", "address to listen on; the next free port is taken when it is in use")
	flag.Parse()
	if err := run(*addr, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "serve:", err)
		os.Exit(1)
	}
}

func run(addr string, out io.Writer) error {
	if err := build(); err != nil {
		return err
	}
	listener, err := listen(addr, out)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot("public")
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "Warpscope is at http://%s/ (Ctrl+C ends it)\n", listener.Addr())
	return server(root).Serve(listener)
}

// server closes connections that send no request.
func server(root *os.Root) *http.Server {
	return &http.Server{Handler: site(root), ReadHeaderTimeout: 10 * time.Second}
}

// build brings public/ up to date; build.sh knows what is stale.
func build() error {
	if _, err := os.Stat("build.sh"); err != nil {
		return errors.New("build.sh is not here: run this in the root of the repository")
	}
	command := exec.Command("bash", "build.sh")
	command.Stdout, command.Stderr = os.Stderr, os.Stderr
	if err := command.Run(); err != nil {
		return fmt.Errorf("the site could not be built: build.sh: %w", err)
	}
	return nil
}

// portsTried is how many ports after the wanted one are tried.
const portsTried = 100

// listen opens addr, or the same host with the next free port, and says so.
func listen(addr string, out io.Writer) (net.Listener, error) {
	listener, err := net.Listen("tcp", addr)
	if !errors.Is(err, syscall.EADDRINUSE) {
		return listener, err
	}
	host, service, _ := net.SplitHostPort(addr)
	first, convErr := strconv.Atoi(service)
	if convErr != nil {
		return nil, err
	}
	for port := first + 1; port <= min(first+portsTried, 65535); port++ {
		listener, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
		if err == nil {
			fmt.Fprintf(out, "Port %d is taken; %d is free.\n", first, port)
			return listener, nil
		}
	}
	return nil, err
}

// types are the types of what public/ holds; the system's own table may lack or misname them.
var types = map[string]string{
	".html":        "text/html; charset=utf-8",
	".css":         "text/css; charset=utf-8",
	".js":          "text/javascript; charset=utf-8",
	".mjs":         "text/javascript; charset=utf-8",
	".json":        "application/json",
	".svg":         "image/svg+xml",
	".png":         "image/png",
	".wasm":        "application/wasm",
	".lzma":        "application/x-lzma",
	".ptx":         "text/plain; charset=utf-8",
	".webmanifest": "application/manifest+json",
}

// encodings are the precompressed forms, the smaller first.
var encodings = []struct{ name, suffix string }{{"br", ".br"}, {"gzip", ".gz"}}

// site serves a folder of static files, and nothing outside it; where a precompressed form lies beside a file, it is
// sent to browsers that take it.
func site(root *os.Root) http.Handler {
	files := http.FileServerFS(root.FS())
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-cache") // ask each time: the site changes under a developer's hands
		w.Header().Set("Vary", "Accept-Encoding")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "this server only answers GET and HEAD", http.StatusMethodNotAllowed)
			return
		}
		if path.Clean("/"+r.URL.Path) == "/"+offline.Precache {
			sendPrecache(w, root.Name())
			return
		}
		if !served(root, r.URL.Path) {
			http.NotFound(w, r)
			return
		}
		if sendCompressed(w, r, root) {
			return
		}
		if t := contentType(r.URL.Path); t != "" {
			w.Header().Set("Content-Type", t)
		}
		files.ServeHTTP(w, r)
	})
}

// served says whether a path is a file of the site, or a folder with a page of its own: no listings, no hidden files.
func served(root *os.Root, urlPath string) bool {
	name := path.Clean("/" + urlPath)
	if strings.Contains(name, "/.") {
		return false
	}
	info, err := root.Stat(filepath.FromSlash("." + name))
	if err == nil && info.IsDir() {
		_, err = root.Stat(filepath.FromSlash(path.Join("."+name, "index.html")))
	}
	return err == nil
}

// sendPrecache answers with the list of the files that are in the folder now. A file that has changed since the site
// was built is a new version for visitors who keep the site offline; otherwise they would not see it.
func sendPrecache(w http.ResponseWriter, root string) {
	script, err := offline.PrecacheScript(root)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", types[".js"])
	w.Write(script)
}

func contentType(name string) string {
	ext := path.Ext(name)
	if t, ok := types[ext]; ok {
		return t
	}
	return mime.TypeByExtension(ext)
}

// sendCompressed answers with a precompressed form that is as new as the file itself; it returns false when there is
// none.
func sendCompressed(w http.ResponseWriter, r *http.Request, root *os.Root) bool {
	name := path.Clean("/" + r.URL.Path)
	if strings.HasSuffix(r.URL.Path, "/") {
		name = path.Join(name, "index.html")
	}
	file := filepath.FromSlash("." + name)
	plain, err := root.Stat(file)
	if err != nil || plain.IsDir() || r.Header.Get("Range") != "" || path.Base(r.URL.Path) == "index.html" {
		return false
	}
	for _, encoding := range encodings {
		if !accepts(r.Header.Get("Accept-Encoding"), encoding.name) {
			continue
		}
		compressed, err := root.Open(file + encoding.suffix)
		if err != nil {
			continue
		}
		defer compressed.Close()
		info, err := compressed.Stat()
		if err != nil || info.ModTime().Before(plain.ModTime()) {
			continue
		}
		w.Header().Set("Content-Encoding", encoding.name)
		w.Header().Set("Content-Type", contentType(name))
		http.ServeContent(w, r, name, info.ModTime(), compressed)
		return true
	}
	return false
}

// accepts says whether an Accept-Encoding header allows an encoding (RFC 9110, 12.5.3; "*" is not made use of).
func accepts(header, encoding string) bool {
	for _, item := range strings.Split(header, ",") {
		name, parameter, _ := strings.Cut(item, ";")
		if strings.EqualFold(strings.TrimSpace(name), encoding) {
			weight, found := strings.CutPrefix(strings.ReplaceAll(parameter, " ", ""), "q=")
			q, err := strconv.ParseFloat(weight, 64)
			return !found || err == nil && q > 0
		}
	}
	return false
}
