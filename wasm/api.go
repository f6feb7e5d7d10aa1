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
	sessions := sessions{open: map[int]*headless.Session{}}
	api := js.Global().Get("Object").New()
	api.Set("version", headless.Version)
	for name, f := range map[string]func(args []js.Value) any{
		"check":   check,
		"format":  format,
		"start":   runs.start,
		"advance": runs.advance,
		"finish":  runs.finish,
		"open":    sessions.start,
		"ask":     sessions.ask,
		"close":   sessions.close,
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

	Counters, Models bool
	Schedules        int
	Schedule         uint64
}

// settings reads what JavaScript says of a run, with its arrays.
func settings(text, arrays js.Value) (o options, set launch.Settings) {
	if err := json.Unmarshal([]byte(text.String()), &o); err != nil {
		panic(err)
	}
	set.Lines = o.Lines
	for _, v := range o.Values {
		value := launch.Value{Name: v.Name, Text: v.Text, List: v.List, Type: v.Type}
		if v.Data >= 0 {
			value.Data = fromJS(arrays.Index(v.Data))
		}
		set.Values = append(set.Values, value)
	}
	return o, set
}

// start(source, options, arrays) gives the number of a run.
func (r *runs) start(args []js.Value) any {
	o, set := settings(args[1], args[2])
	r.next++
	r.active[r.next] = headless.Start(fileName, fromJS(args[0]), headless.Options{Settings: set, Steps: o.Steps,
		Time: time.Duration(o.Timeout * float64(time.Millisecond)), Counters: o.Counters, Models: o.Models,
		Schedules: o.Schedules, Schedule: o.Schedule})
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
	if why := args[1].String(); why != "" {
		run.Stop(why)
	}
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

// sessions are the debug sessions that are open.
type sessions struct {
	open map[int]*headless.Session
	next int
}

// open(source, options, arrays) gives the number of a session, and the JSON of check.
func (s *sessions) start(args []js.Value) any {
	_, set := settings(args[1], args[2])
	s.next++
	one := headless.Open(fileName, fromJS(args[0]), set)
	s.open[s.next] = one
	return map[string]any{"session": s.next, "found": toJSON(one.Found())}
}

// ask(session, question) gives the JSON of an answer, or "" where the same question has to be asked again. The session
// must be open. Without a question it pauses.
func (s *sessions) ask(args []js.Value) any {
	one := s.open[args[0].Int()]
	if len(args) < 2 {
		one.Pause()
		return nil
	}
	answer, more := one.Ask([]byte(args[1].String()))
	if more {
		return ""
	}
	return toJSON(answer)
}

// close(session) frees it.
func (s *sessions) close(args []js.Value) any {
	delete(s.open, args[0].Int())
	return nil
}
