package ui

import (
	"slices"

	"warpscope/debug"
	"warpscope/share"
)

// sharedStops are the stops for a link; nil if they are breakpoints of which there is no more to say than their lines.
func sharedStops(stops []debug.Stop) (list []share.Stop) {
	more := false
	for _, o := range stops {
		o.Error = ""
		more = more || o != debug.Stop{Line: o.Line}
		list = append(list, share.Stop{Kind: share.StopKinds[o.Kind], Line: o.Line, What: o.What,
			Condition: o.Condition, Off: o.Off})
	}
	if !more {
		return nil
	}
	return list
}

// linkedStops are the stops of a link.
func linkedStops(shared []share.Stop) (list []debug.Stop) {
	for _, o := range shared {
		if kind := slices.Index(share.StopKinds, o.Kind); kind >= 0 {
			list = append(list, debug.Stop{Kind: debug.StopKind(kind), Line: o.Line, What: o.What,
				Condition: o.Condition, Off: o.Off})
		}
	}
	return list
}
