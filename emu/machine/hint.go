package machine

import (
	"fmt"

	"warpscope/emu/causes"
)

// checkResizes notes a setmaxnreg that only some warps of a warpgroup have executed.
func (c *CTA) checkResizes() {
	for at := 0; at+3 < len(c.Warps); at += 4 {
		group := c.Warps[at:][:4]
		few, most := group[0], group[0]
		for _, w := range group[1:] {
			if w.Quota.Changes < few.Quota.Changes {
				few = w
			}
			if w.Quota.Changes > most.Quota.Changes {
				most = w
			}
		}
		if few.Quota.Changes < most.Quota.Changes {
			most.Note(most.Quota.By, causes.Warpgroup,
				fmt.Sprintf("warp %d has executed `%s`, and warp %d has not: all warps of a "+
					"warpgroup must", most.Index, most.Quota.By.Src.Opcode, few.Index))
		}
	}
}
