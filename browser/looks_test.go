package browser

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// shot keeps a picture of the page when WARPSCOPE_SHOTS names a folder.
func (v *visit) shot(name string) {
	v.t.Helper()
	folder := os.Getenv("WARPSCOPE_SHOTS")
	if folder == "" {
		return
	}
	require.NoError(v.t, os.MkdirAll(folder, 0o755))
	var picture []byte
	v.run(chromedp.CaptureScreenshot(&picture))
	require.NoError(v.t, os.WriteFile(filepath.Join(folder, name+".png"), picture, 0o644))
}

// themes are those in which a test visits the page, dark or not: one where nothing depends on it, both for pictures.
func themes(dark bool) []bool {
	if os.Getenv("WARPSCOPE_SHOTS") == "" {
		return []bool{dark}
	}
	return []bool{false, true}
}

// Nothing sticks out of a phone's screen, and 32 lanes fit a laptop's.
func TestNothingOverflows(t *testing.T) {
	v := open(t, setting{width: 360, height: 740}).ready()
	for _, width := range []int64{360, 390, 768, 1024, 1280, 1440} {
		v.run(emulation.SetDeviceMetricsOverride(width, 800, 1, false))
		v.load("04-")
		v.button("Step")
		v.settle()
		wide := js[float64](v, "document.documentElement.scrollWidth")
		require.LessOrEqual(t, wide, float64(width), "at %d pixels", width)
		if width >= 1280 {
			lane := v.lanes("%lane", "text")
			require.Len(t, lane, 32)
			over := call[float64](v.find("region", "Lane grid"), `region => {
				const last = region.querySelector("[data-lane='31']").getBoundingClientRect();
				return last.right - region.getBoundingClientRect().right;
			}`)
			require.LessOrEqual(t, over, 0.5, "lane 31 at %d pixels", width)
		}
	}
}

// Text has the contrast that WCAG 2.1 asks for at level AA: 4.5 to 1, or 3 to 1 where it is large.
func TestContrast(t *testing.T) {
	for _, dark := range []bool{false, true} {
		v := open(t, setting{dark: dark}).ready()
		v.load("05-")
		for range 9 {
			v.button("Step")
		}
		v.settle()
		poor := js[[]string](v, contrastScript)
		require.Empty(t, poor, "dark: %v", dark)
	}
}

// contrastScript lists visible texts whose colour is too close to their background. Colours are read by drawing
// them, so any notation will do.
const contrastScript = `(() => {
	const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
	const rgba = (color) => {
		canvas.clearRect(0, 0, 1, 1);
		canvas.fillStyle = color;
		canvas.fillRect(0, 0, 1, 1);
		return [...canvas.getImageData(0, 0, 1, 1).data];
	};
	const over = (top, below) => [0, 1, 2].map(i => (top[i] * top[3] + below[i] * (255 - top[3])) / 255).concat(255);
	const behind = (element) => {
		const layers = [];
		for (let e = element; e; e = e.parentElement) layers.push(rgba(getComputedStyle(e).backgroundColor));
		return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255, 255]);
	};
	const luminance = ([r, g, b]) => [r, g, b].map(c => c / 255)
		.map(c => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
		.reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
	const poor = new Map();
	const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (walker.nextNode()) {
		const e = walker.currentNode.parentElement;
		const visible = e.checkVisibility({ visibilityProperty: true, opacityProperty: true });
		if (!walker.currentNode.data.trim() || !visible) continue;
		if (e.closest("option, [aria-disabled=true], :disabled, [aria-hidden=true]")) continue;
		const style = getComputedStyle(e);
		const back = behind(e);
		const [a, b] = [luminance(over(rgba(style.color), back)), luminance(back)].sort((x, y) => y - x);
		const ratio = (a + 0.05) / (b + 0.05);
		const large = parseFloat(style.fontSize) >= 24 || parseFloat(style.fontSize) >= 18.66 && style.fontWeight >= 700;
		if (ratio < (large ? 3 : 4.5)) {
			poor.set(e.className + " " + style.color + " on " + back.slice(0, 3), ratio.toFixed(2) + ": " +
				walker.currentNode.data.trim().slice(0, 30));
		}
	}
	return [...poor].map(([key, value]) => value + " (" + key + ")");
})()`

func TestThemeFollowsTheSystem(t *testing.T) {
	v := open(t, setting{}).ready()
	system := func(scheme string) {
		v.run(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: scheme}}))
	}
	shows := func(theme string) { v.holds(`document.documentElement.dataset.theme === "` + theme + `"`) }
	shows("light")
	system("dark")
	shows("dark")
	v.find("combobox", "Bits as").choose("signed")
	v.reload()
	system("light")
	shows("light")
	v.button("Use the dark theme")
	shows("dark")
	system("dark")
	system("light")
	v.settle()
	shows("dark")
	v.reload()
	shows("dark")
}
