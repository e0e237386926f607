package doctor

import (
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"hash"
	"io"

	"github.com/wasm-debugid/wasm-debugid/internal/regular"
)

// sriDigest returns the digest of a file as integrity attributes hold it; false for
// an algorithm that is not known.
func sriDigest(ctx context.Context, path, algorithm string) (string, bool, error) {
	var h hash.Hash
	switch algorithm {
	case "sha256":
		h = sha256.New()
	case "sha384":
		h = sha512.New384()
	case "sha512":
		h = sha512.New()
	default:
		return "", false, nil
	}
	f, info, err := regular.Open(path)
	if err != nil {
		return "", false, err
	}
	defer f.Close()
	for at := int64(0); at < info.Size(); at += 1 << 24 {
		if err := ctx.Err(); err != nil {
			return "", false, err
		}
		if _, err := io.Copy(h, io.NewSectionReader(f, at, min(1<<24, info.Size()-at))); err != nil {
			return "", false, err
		}
	}
	return base64.StdEncoding.EncodeToString(h.Sum(nil)), true, nil
}
