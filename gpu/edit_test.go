package gpu

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/ptx"
)

// Edits that differ in one field, whichever it is, are not the same.
func TestEditsAreCompared(t *testing.T) {
	values := map[reflect.Type]reflect.Value{reflect.TypeFor[*ptx.Reg](): reflect.ValueOf(&ptx.Reg{}),
		reflect.TypeFor[[]byte](): reflect.ValueOf([]byte{1})}
	for i := range reflect.TypeFor[Edit]().NumField() {
		var a, b Edit
		require.True(t, a.Equal(&b))
		field := reflect.ValueOf(&b).Elem().Field(i)
		if v, ok := values[field.Type()]; ok {
			field.Set(v)
		} else {
			field.Set(reflect.ValueOf(1).Convert(field.Type()))
		}
		require.False(t, a.Equal(&b), reflect.TypeFor[Edit]().Field(i).Name)
	}
}
