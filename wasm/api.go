//go:build js

package main

import (
	"encoding/json"
	"fmt"
	"syscall/js"
	"time"

	"warpscope/headless"
	"warpscope/launch"
	"warpscope/ptx"
)

// serve leaves the functions that npm/warpscope.src.mjs calls. Texts come in as bytes; structures go both ways as JSON.
func serve() {
	runs := runs{active: map[int]*headless.Run{}}
	api := js.Global().Get("Object").New()
	api.Set("version", headless.Version)
	for name, f := range map[string]func(args []js.Value) any{
		"check":   check,
		"format":  format,
		"start":   runs.start,
		"advance": runs.advance,
		"finish":  runs.finish,
	} {
		api.Set(name, guarded(f))
	}
	js.Global().Set("warpscope", api)
}

// guarded turns a panic into {error}: a panic is our defect, and must not end the engine.
func guarded(f func(args []js.Value) any) js.Func {
	return js.FuncOf(func(_ js.Value, args []js.Value) (result any) {
		defer func() {
			if p := recover(); p != nil {
				result = map[string]any{"error": fmt.Sprint(p)}
			}
		}()
		return f(args)
	})
}

// fromJS copies an Uint8Array.
func fromJS(v js.Value) []byte {
	b := make([]byte, v.Length())
	js.CopyBytesToGo(b, v)
	return b
}

func toJS(b []byte) js.Value {
	v := js.Global().Get("Uint8Array").New(len(b))
	js.CopyBytesToJS(v, b)
	return v
}

func toJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

const fileName = "program.ptx"

// check(source) gives JSON.
func check(args []js.Value) any { return toJSON(headless.Check(fileName, fromJS(args[0]))) }

// format(source) gives bytes.
func format(args []js.Value) any { return toJS(ptx.Format(fromJS(args[0]))) }

// runs are the runs that have been started and not finished.
type runs struct {
	active map[int]*headless.Run
	next   int
}

// options is what JavaScript says of a run. Data of a value is the index of an array beside the JSON.
type options struct {
	Lines  []string
	Values []struct {
		Name, Text, Type string
		List             bool
		Data             int
	}
	Steps   int64
	Timeout float64 // milliseconds

	Counters bool
}

// start(source, options, arrays) gives the number of a run.
func (r *runs) start(args []js.Value) any {
	var o options
	if err := json.Unmarshal([]byte(args[1].String()), &o); err != nil {
		panic(err)
	}
	set := launch.Settings{Lines: o.Lines}
	for _, v := range o.Values {
		value := launch.Value{Name: v.Name, Text: v.Text, List: v.List, Type: v.Type}
		if v.Data >= 0 {
			value.Data = fromJS(args[2].Index(v.Data))
		}
		set.Values = append(set.Values, value)
	}
	r.next++
	r.active[r.next] = headless.Start(fileName, fromJS(args[0]), headless.Options{Settings: set, Steps: o.Steps,
		Time: time.Duration(o.Timeout * float64(time.Millisecond)), Counters: o.Counters})
	return r.next
}

// advance(run, steps) says whether the run has ended.
func (r *runs) advance(args []js.Value) any {
	return r.active[args[0].Int()].Advance(int64(args[1].Float()))
}

// finish(run, why) ends a run, if necessary for that reason, and gives its result: JSON, and the buffers' bytes.
func (r *runs) finish(args []js.Value) any {
	run := r.active[args[0].Int()]
	delete(r.active, args[0].Int())
	run.Stop(args[1].String())
	result := run.Result()
	buffers := []any{}
	for name, b := range result.Buffers {
		dims := make([]any, len(b.Dims))
		for i, n := range b.Dims {
			dims[i] = n
		}
		array, data := b.Array()
		buffers = append(buffers, map[string]any{"name": name, "type": b.Type, "dims": dims, "array": array,
			"data": toJS(data)})
	}
	result.Buffers = nil
	return map[string]any{"result": toJSON(result), "buffers": buffers}
}
