package machine

import (
	"warpscope/gpu"
)

// Cause is a kind of finding.
type Cause uint8

// The causes.
const (
	CauseStray     Cause = iota // a lane executes a warp operation outside of its own membermask
	CauseGone                   // a membermask names lanes that have exited
	CauseElsewhere              // a membermask names lanes that do not come
	CauseSource                 // shfl reads from a lane that takes no part
	CausePast                   // shfl.down reads past the last lane of the warp
	CauseApart                  // lanes come to an aligned barrier one after the other
	CauseFlight                 // an access to memory that an operation under way reads or writes
	CauseEnd                    // a CTA ends while an operation is under way
	CauseProxy                  // the async proxy reads memory that no fence has handed to it
	CauseMap                    // the tensormap proxy reads a tensor map that no fence has handed to it
	CauseMbarrier               // an mbarrier cannot count an arrival or its bytes
	CauseInit                   // an mbarrier is initialised again
	CauseUnseen                 // no thread has waited for a phase
	CauseTensor                 // tensor memory is not given back, or no commit tracks an operation on it
	CauseGroup                  // instructions differ in .cta_group
	CauseFence                  // wgmma.fence is missing
	CauseEarly                  // a register of a product is used before the product is complete
	CauseWarpgroup              // a warp of a warpgroup does not do what the others do
	CauseRegisters              // setmaxnreg in the wrong direction
	CauseLonely                 // a cluster of one CTA where the instruction needs several
	CauseResponse               // clusterlaunchcontrol: a query of a request that failed
	CauseRefused                // clusterlaunchcontrol: a request after a request that failed
	CauseRace                   // two accesses are unordered
	CauseUnwritten              // a lane reads memory that no thread has written
	CauseUnset                  // a register decides something, and the lane has never written it
	CauseStrides                // a tensor map's strides are impossible
	CauseDivisor                // an integer is divided by zero
	CauseAddress                // a tensor is moved to an address with too little memory
	CauseMasks                  // lanes that name each other have different membermasks
	CauseCount                  // instructions give a barrier different counts
	CauseMixed                  // a reduction and another use of the same barrier
	CauseSpace                  // an address is converted to a space that it is not in
)

// Causes gives, for each cause, the check that it counts for and the section of the manual that decides. Where section
// is "", that is the section of the instruction. cure says what to do, where not the message itself does.
var Causes = [...]struct {
	Check   gpu.Checks
	section string
	cure    string
}{
	CauseStray:     {gpu.Synccheck, "9.7.10.6", "put each lane that executes it into the mask"},
	CauseGone:      {gpu.Synccheck, "9.7.15.2", "name only lanes that are there"},
	CauseElsewhere: {gpu.Synccheck, "9.7.10.6", "let the lanes meet first, or name only those that come"},
	CauseSource:    {gpu.Synccheck, "", ""},
	CausePast:      {gpu.Initcheck, "", ""},
	CauseApart:     {gpu.Synccheck, "", ""},
	CauseFlight:    {gpu.Synccheck, "9.7.10.28.1", "wait for the operation before the access"},
	CauseEnd:       {gpu.Synccheck, "9.7.10.28.1", "wait before the CTA ends"},
	CauseProxy:     {gpu.Synccheck, "9.7.10.28.2", ""},
	CauseMap:       {gpu.Synccheck, "9.7.15.4", ""},
	CauseMbarrier:  {gpu.Synccheck, "9.7.15.16.3", "let mbarrier.init and expect_tx name what arrives"},
	CauseInit:      {gpu.Synccheck, "9.7.15.16.12", "put mbarrier.inval between the two, or initialise it once"},
	CauseUnseen:    {gpu.Synccheck, "9.7.15.16.5", ""},
	CauseTensor:    {gpu.Synccheck, "", ""},
	CauseGroup:     {gpu.Synccheck, "", ""},
	CauseFence:     {gpu.Synccheck, "9.7.17.7.1", ""},
	CauseEarly:     {gpu.Synccheck, "9.7.17.7.3", ""},
	CauseWarpgroup: {gpu.Synccheck, "", ""},
	CauseRegisters: {gpu.Synccheck, "", "ask for as many as the warp has or more with .inc, for fewer with .dec"},
	CauseLonely:    {gpu.Synccheck, "", ""},
	CauseResponse:  {gpu.Synccheck, "", ""},
	CauseRefused:   {gpu.Synccheck, "", ""},
	CauseRace:      {gpu.Racecheck, "8.7.1", ""},
	CauseUnwritten: {gpu.Initcheck, "", ""},
	CauseUnset:     {gpu.Initcheck, "5.1.1", "write the register on every way to the read"},
	CauseMasks:     {gpu.Synccheck, "", ""},
	CauseCount:     {gpu.Synccheck, "9.7.15.1", ""},
	CauseMixed:     {gpu.Synccheck, "9.7.15.1", ""},
	CauseStrides:   {gpu.Memcheck, "9.7.10.29", ""},
	CauseDivisor:   {gpu.Memcheck, "", ""},
	CauseSpace:     {gpu.Memcheck, "", ""},
	CauseAddress:   {gpu.Memcheck, "9.7.10.28.5.2.1", ""},
}
