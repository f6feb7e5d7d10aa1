// Package causes lists the kinds of findings: the check that each counts for, the section that decides, and the cure.
package causes

import (
	"warpscope/gpu"
)

// Kind is a kind of finding.
type Kind uint8

// The causes.
const (
	Stray     Kind = iota // a lane executes a warp operation outside of its own membermask
	Gone                  // a membermask names lanes that have exited
	Elsewhere             // a membermask names lanes that do not come
	Source                // shfl reads from a lane that takes no part
	Past                  // shfl.down reads past the last lane of the warp
	Apart                 // lanes come to an aligned barrier one after the other
	Flight                // an access to memory that an operation under way reads or writes
	End                   // a CTA ends while an operation is under way
	Proxy                 // the async proxy reads memory that no fence has handed to it
	Map                   // the tensormap proxy reads a tensor map that no fence has handed to it
	Mbarrier              // an mbarrier cannot count an arrival or its bytes
	Init                  // an mbarrier is initialised again
	Unseen                // no thread has waited for a phase
	Tensor                // tensor memory is not given back, or no commit tracks an operation on it
	Group                 // instructions differ in .cta_group
	Fence                 // wgmma.fence is missing
	Early                 // a register of a product is used before the product is complete
	Warpgroup             // a warp of a warpgroup does not do what the others do
	Registers             // setmaxnreg in the wrong direction
	Lonely                // a cluster of one CTA where the instruction needs several
	Response              // clusterlaunchcontrol: a query of a request that failed
	Refused               // clusterlaunchcontrol: a request after a request that failed
	Race                  // two accesses are unordered
	Unwritten             // a lane reads memory that no thread has written
	Unset                 // a register decides something, and the lane has never written it
	Strides               // a tensor map's strides are impossible
	Divisor               // an integer is divided by zero
	Address               // a tensor is moved to an address with too little memory
	Masks                 // lanes that name each other have different membermasks
	Count                 // instructions give a barrier different counts
	Mixed                 // a reduction and another use of the same barrier
	Space                 // an address is converted to a space that it is not in
)

// Table gives, for each cause, the check that it counts for and the section of the manual that decides. Where Section
// is "", that is the section of the instruction. Cure says what to do, where not the message itself does.
var Table = [...]struct {
	Check   gpu.Checks
	Section string
	Cure    string
}{
	Stray:     {gpu.Synccheck, "9.7.10.6", "put each lane that executes it into the mask"},
	Gone:      {gpu.Synccheck, "9.7.15.2", "name only lanes that are there"},
	Elsewhere: {gpu.Synccheck, "9.7.10.6", "let the lanes meet first, or name only those that come"},
	Source:    {gpu.Synccheck, "", ""},
	Past:      {gpu.Initcheck, "", ""},
	Apart:     {gpu.Synccheck, "", ""},
	Flight:    {gpu.Synccheck, "9.7.10.28.1", "wait for the operation before the access"},
	End:       {gpu.Synccheck, "9.7.10.28.1", "wait before the CTA ends"},
	Proxy:     {gpu.Synccheck, "9.7.10.28.2", ""},
	Map:       {gpu.Synccheck, "9.7.15.4", ""},
	Mbarrier:  {gpu.Synccheck, "9.7.15.16.3", "let mbarrier.init and expect_tx name what arrives"},
	Init:      {gpu.Synccheck, "9.7.15.16.12", "put mbarrier.inval between the two, or initialise it once"},
	Unseen:    {gpu.Synccheck, "9.7.15.16.5", ""},
	Tensor:    {gpu.Synccheck, "", ""},
	Group:     {gpu.Synccheck, "", ""},
	Fence:     {gpu.Synccheck, "9.7.17.7.1", ""},
	Early:     {gpu.Synccheck, "9.7.17.7.3", ""},
	Warpgroup: {gpu.Synccheck, "", ""},
	Registers: {gpu.Synccheck, "", "ask for as many as the warp has or more with .inc, for fewer with .dec"},
	Lonely:    {gpu.Synccheck, "", ""},
	Response:  {gpu.Synccheck, "", ""},
	Refused:   {gpu.Synccheck, "", ""},
	Race:      {gpu.Racecheck, "8.7.1", ""},
	Unwritten: {gpu.Initcheck, "", ""},
	Unset:     {gpu.Initcheck, "5.1.1", "write the register on every way to the read"},
	Masks:     {gpu.Synccheck, "", ""},
	Count:     {gpu.Synccheck, "9.7.15.1", ""},
	Mixed:     {gpu.Synccheck, "9.7.15.1", ""},
	Strides:   {gpu.Memcheck, "9.7.10.29", ""},
	Divisor:   {gpu.Memcheck, "", ""},
	Space:     {gpu.Memcheck, "", ""},
	Address:   {gpu.Memcheck, "9.7.10.28.5.2.1", ""},
}
