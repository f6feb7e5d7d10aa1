package headless

import (
	"fmt"

	"warpscope/debug"
	"warpscope/emu"
	"warpscope/launch"
	"warpscope/ptx"
)

// Chart says in which basic block each lane of the followed warp is over a span of the run, or what all warps do.
type Chart struct {
	Answer
	From    int64    `json:"from"` // steps
	To      int64    `json:"to"`
	Stride  int64    `json:"stride"` // steps that a moment stands for
	CTA     int      `json:"cta"`
	Warp    int      `json:"warp"`
	Blocks  []Block  `json:"blocks"`
	Moments []Moment `json:"moments"`
	Each    int      `json:"each,omitempty"` // of all warps: warps that a row stands for
}

// Block is a basic block.
type Block struct {
	Name  string `json:"name"`
	First int    `json:"first"` // lines
	Last  int    `json:"last"`
}

// Moment is a look at the machine. Blocks are numbers in the chart's list, -1 for a lane that is not there.
type Moment struct {
	Step   int64       `json:"step"`
	Turn   bool        `json:"turn"`             // the warp executes the next instruction
	Blocks []int       `json:"blocks,omitempty"` // by lane
	Active []int       `json:"active,omitempty"` // lanes that execute the warp's next instruction
	Rows   []MomentRow `json:"rows,omitempty"`
}

// MomentRow is what a warp does.
type MomentRow struct {
	Doing string `json:"doing"`
	Block int    `json:"block"`
	Lanes int    `json:"lanes"`
}

// doings name what a warp does, by debug.Doing.
var doings = [...]string{debug.DoesFault: "fault", debug.DoesRun: "runs", debug.DoesDiverged: "diverged",
	debug.DoesReady: "ready", debug.DoesWait: "waits", debug.DoesEnded: "ended", debug.DoesCome: "not started"}

func (s *Session) chart(a *Ask) (any, bool) {
	d := s.debug
	d.View()
	to := a.To
	if to <= 0 {
		to = 1 << 62
	}
	d.AskChart(debug.ChartAsk{From: a.From, To: to, All: a.All})
	c := d.Chart()
	if !c.Complete && d.Survey(a.Budget) {
		return nil, true
	}
	c = d.Chart()
	d.NoChart()
	out := &Chart{Answer{OK: true}, c.From, c.To, c.Stride, c.CTA, c.Warp, []Block{}, []Moment{}, 0}
	if c.All {
		out.Each = c.Each
	}
	for _, b := range c.Code.Blocks {
		out.Blocks = append(out.Blocks, Block{b.Name, b.First, b.Last})
	}
	for i := range c.Moments {
		out.Moments = append(out.Moments, moment(c, &c.Moments[i]))
	}
	return out, false
}

func moment(c *debug.Chart, m *debug.Moment) Moment {
	out := Moment{Step: m.First, Turn: m.Turn}
	for _, r := range m.Rows {
		out.Rows = append(out.Rows, MomentRow{doings[r.Doing], c.Code.Block(r.At), int(r.Lanes)})
	}
	if c.All {
		return out
	}
	for lane := range 32 {
		block := -1
		if p, ok := m.Of(lane); ok {
			if block = c.Code.Block(p.At); p.Runs {
				out.Active = append(out.Active, lane)
			}
		}
		out.Blocks = append(out.Blocks, block)
	}
	return out
}

// flow is the control-flow graph of the followed warp's function, with the counts up to the present.
func (s *Session) flow() any {
	g := s.debug.Flow()
	if g == nil {
		return refuse("the followed warp is in no function")
	}
	type group struct {
		Lanes []int `json:"lanes"`
		Line  int   `json:"line"`
		Runs  bool  `json:"runs"`
		AtBar bool  `json:"atBarrier"`
	}
	type block struct {
		Block
		Joins  bool    `json:"joins"` // lanes meet here
		Ends   bool    `json:"ends"`  // lanes can leave the function from here
		Runs   int64   `json:"runs"`  // warp instructions that have begun it
		Lanes  int64   `json:"lanes"`
		Groups []group `json:"groups"`
	}
	type edge struct {
		From  int    `json:"from"`
		To    int    `json:"to"`
		Jump  bool   `json:"jump"`
		Lanes *int64 `json:"lanes"` // that have gone along it; null: not known
	}
	out := struct {
		Answer
		Func   string  `json:"func"`
		Blocks []block `json:"blocks"`
		Edges  []edge  `json:"edges"`
	}{Answer{OK: true}, g.Func, []block{}, []edge{}}
	for i, b := range g.Blocks {
		out.Blocks = append(out.Blocks, block{Block{b.Name, b.First, b.Last}, b.Joins, b.Ends, g.Runs[i],
			g.Lanes[i], []group{}})
	}
	for _, o := range g.Groups {
		to := &out.Blocks[o.Block]
		to.Groups = append(to.Groups, group{lanesOf(o.Lanes), o.Line, o.Runs, o.Bar})
	}
	for i, e := range g.Edges {
		one := edge{From: e.From, To: e.To, Jump: e.Jump}
		if n := g.Taken[i]; n != debug.Unknown && g.Counted {
			one.Lanes = &n
		}
		out.Edges = append(out.Edges, one)
	}
	return out
}

// counters are those of the run up to the present.
func (s *Session) counters() any {
	account, err := s.debug.Account()
	if account == nil {
		return refuse("nothing can be counted: %v", err)
	}
	with := *account
	with.Live = s.debug.Live()
	return struct {
		Answer
		*Counters
	}{Answer{OK: true}, counters(&with)}
}

// access is what one access to memory takes: that of a line, or of the last or next instruction.
func (s *Session) access(a *Ask) any {
	x := s.debug.Access(a.Line, a.Upcoming)
	if x == nil || x.When == debug.AccessNever {
		return refuse("there is no access to memory that is counted, up to here")
	}
	type sector struct {
		Address string `json:"address"`
		Lanes   []int  `json:"lanes"`
	}
	type bank struct {
		Bank  int   `json:"bank"`
		Lanes []int `json:"lanes"`
		Words int   `json:"words"`
	}
	type lane struct {
		Lane    int    `json:"lane"`
		Address string `json:"address"`
	}
	out := struct {
		Answer
		Step    int64    `json:"step"` // after it
		Line    int      `json:"line"`
		Text    string   `json:"text"`
		Space   string   `json:"space"`
		Size    int      `json:"size"` // bytes of a lane
		Unit    string   `json:"unit"` // wavefront or sector
		Parts   int      `json:"parts"`
		Ideal   int      `json:"ideal"`
		Why     string   `json:"why"`
		Cure    string   `json:"cure"`
		Lanes   []lane   `json:"lanes"`
		Sectors []sector `json:"sectors"`
		Banks   []bank   `json:"banks"`
	}{Answer{OK: true}, x.Tick + 1, x.Line, x.Text, x.Space.String(), x.Size, x.Unit(), x.Parts, x.Ideal, x.Why(),
		x.Cure(),
		[]lane{}, []sector{}, []bank{}}
	for _, n := range lanesOf(x.Lanes) {
		out.Lanes = append(out.Lanes, lane{n, hex(x.Addrs[n])})
	}
	for _, one := range x.Sectors {
		out.Sectors = append(out.Sectors, sector{hex(one.Addr), lanesOf(emu.Mask(one.Lanes))})
	}
	for i, one := range x.Banks {
		if x.Space == ptx.SharedSpace && one.Words > 0 {
			out.Banks = append(out.Banks, bank{i, lanesOf(emu.Mask(one.Lanes)), one.Words})
		}
	}
	return out
}

func hex(a uint64) string { return fmt.Sprintf("%#x", a) }

// holds says which lane holds which element of the matrices of the last or next instruction, or whose values a lane
// gets from an exchange.
func (s *Session) holds(a *Ask) any {
	h := s.debug.Holding(a.Upcoming)
	if h == nil {
		return refuse("neither the last nor the next instruction moves values between lanes")
	}
	type element struct {
		Lane     int    `json:"lane"`
		Register string `json:"register"`
		Value    string `json:"value,omitempty"` // absent: not known
		Where    string `json:"where"`           // in words
	}
	type matrix struct {
		Name     string    `json:"name"`
		Rows     int       `json:"rows"`
		Columns  int       `json:"columns"`
		Elements []element `json:"elements"` // row after row
	}
	type exchange struct {
		Lane int    `json:"lane"`
		From []int  `json:"from"` // the lanes whose values make its result
		Gets string `json:"gets,omitempty"`
	}
	out := struct {
		Answer
		Line      int        `json:"line"`
		Text      string     `json:"text"`
		Upcoming  bool       `json:"upcoming"`
		Elsewhere string     `json:"elsewhere,omitempty"`
		Matrices  []matrix   `json:"matrices"`
		Exchange  []exchange `json:"exchange"`
	}{Answer{OK: true}, h.Line, h.Text, h.Upcoming, h.Elsewhere, []matrix{}, []exchange{}}
	for i := range h.Matrices {
		m := &h.Matrices[i]
		one := matrix{m.Name, m.Rows, m.Cols, []element{}}
		for k, holder := range m.Holders {
			e := element{Lane: holder.Lane, Where: m.HolderName(holder)}
			if holder.Register < len(m.Registers) {
				e.Register = m.Registers[holder.Register]
			}
			if m.Known {
				e.Value = launch.FormatValue(m.Type, m.Values[k], 0)
			}
			one.Elements = append(one.Elements, e)
		}
		out.Matrices = append(out.Matrices, one)
	}
	if x := h.Exchange; x != nil {
		for _, lane := range lanesOf(x.Lanes) {
			one := exchange{Lane: lane, From: lanesOf(x.From[lane])}
			if x.Gets != nil && x.Gets.Known.Has(lane) {
				one.Gets = launch.FormatValue(x.Gets.Type, x.Gets.Values[lane], 0)
			}
			out.Exchange = append(out.Exchange, one)
		}
	}
	return out
}
