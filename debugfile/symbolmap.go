package debugfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/wasm-debugid/wasm-debugid/internal/regular"
)

// Limits of a symbol map.
const (
	maxSymbolMap  = 1 << 30 // bytes
	maxSymbolLine = 1 << 20 // bytes
)

// readSymbolMap reads a symbol map: a line "index:name" for each function,
// imports counted, as emscripten writes it (--emit-symbol-map) and binaryen
// (--symbolmap). Names keep their escapes; [Demangle] decodes them for display.
// What stands before an error is returned with it.
func readSymbolMap(path string) (map[uint32]string, error) {
	file, _, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	m, err := parseSymbolMap(file)
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return m, err
}

func parseSymbolMap(r io.Reader) (map[uint32]string, error) {
	limited := &io.LimitedReader{R: r, N: maxSymbolMap + 1}
	scan := bufio.NewScanner(limited)
	scan.Buffer(nil, maxSymbolLine)
	m := map[uint32]string{}
	for n := 1; scan.Scan(); n++ {
		line := strings.TrimSuffix(scan.Text(), "\r")
		if line == "" {
			continue
		}
		number, name, ok := strings.Cut(line, ":")
		index, err := strconv.ParseUint(number, 10, 32)
		if !ok || err != nil {
			return m, fmt.Errorf("line %d of the symbol map is not index:name", n)
		}
		if _, dup := m[uint32(index)]; !dup && name != "" {
			m[uint32(index)] = name
		}
	}
	switch {
	case limited.N == 0:
		return m, fmt.Errorf("the symbol map is longer than the %d bytes that are read", maxSymbolMap)
	case errors.Is(scan.Err(), bufio.ErrTooLong):
		return m, fmt.Errorf("a line of the symbol map is longer than %d bytes", maxSymbolLine)
	}
	return m, scan.Err()
}
