package txtar

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestText(t *testing.T) {
	require.Equal(t, []Part{{"first", "one\n\ntwo\n"}, {"last", "the last one\n"}}, Parts(t, "texts"))
	require.Equal(t, "one\n\ntwo\n", Text(t, "texts/first"))
	require.Equal(t, "the last one\n", Text(t, "texts/last"))
	require.Equal(t, "the last word\n", Text(t, "texts/last", "one", "word"))
}
