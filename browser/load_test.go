package browser

import "testing"

// BenchmarkPageLoad is the time from the address bar to the first paint and to the engine's first screen, with empty
// caches and the server on this machine.
func BenchmarkPageLoad(b *testing.B) {
	var paint, ready, transferred float64
	for b.Loop() {
		v := open(b, setting{fresh: true})
		v.ready()
		m := js[map[string]float64](v, `(() => {
			const paint = performance.getEntriesByName("first-contentful-paint")[0];
			const files = performance.getEntriesByType("resource");
			return {
				paint: paint ? paint.startTime : 0,
				ready: performance.getEntriesByName("warpscope-running")[0].startTime,
				bytes: files.reduce((sum, file) => sum + file.encodedBodySize, 0),
			};
		})()`)
		paint, ready, transferred = paint+m["paint"], ready+m["ready"], transferred+m["bytes"]
	}
	n := float64(b.N)
	b.ReportMetric(paint/n, "ms-to-first-paint")
	b.ReportMetric(ready/n, "ms-to-first-screen")
	b.ReportMetric(transferred/n/1e6, "MB-uncompressed")
}
