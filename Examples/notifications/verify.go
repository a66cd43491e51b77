package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"strings"
	"time"
)

func must(holds bool, what string) {
	if !holds {
		fmt.Fprintln(os.Stderr, what)
		os.Exit(1)
	}
}

func main() {
	var body struct{ SignedPayload string }
	var header struct {
		Alg string
		X5c [][]byte
	}
	var payload struct {
		NotificationType string
		SignedDate       int64
		Data, Summary    struct{ BundleId, Environment string }
	}
	must(json.NewDecoder(os.Stdin).Decode(&body) == nil, "body")
	parts := strings.Split(body.SignedPayload, ".")
	must(len(parts) == 3, "form")
	for place, value := range []interface{}{&header, &payload} {
		text, _ := base64.RawURLEncoding.DecodeString(parts[place])
		must(json.Unmarshal(text, value) == nil, "form")
	}
	file, _ := os.ReadFile("root.cer")
	root, err := x509.ParseCertificate(file)
	must(err == nil && header.Alg == "ES256" && len(header.X5c) == 3 && bytes.Equal(header.X5c[2], file), "chain")
	leaf, err := x509.ParseCertificate(header.X5c[0])
	must(err == nil, "certificate")
	intermediate, err := x509.ParseCertificate(header.X5c[1])
	must(err == nil, "certificate")
	marks := []string{"1.2.840.113635.100.6.11.1", "1.2.840.113635.100.6.2.1"}
	for place, one := range []*x509.Certificate{leaf, intermediate} {
		found := false
		for _, extension := range one.Extensions {
			found = found || extension.Id.String() == marks[place]
		}
		must(found, "purpose")
	}
	roots, others := x509.NewCertPool(), x509.NewCertPool()
	roots.AddCert(root)
	others.AddCert(intermediate)
	_, err = leaf.Verify(x509.VerifyOptions{Roots: roots, Intermediates: others, CurrentTime: time.UnixMilli(payload.SignedDate), KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}})
	must(err == nil, "chain")
	key, isEC := leaf.PublicKey.(*ecdsa.PublicKey)
	signature, _ := base64.RawURLEncoding.DecodeString(parts[2])
	digest := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	must(isEC && len(signature) == 64 && ecdsa.Verify(key, digest[:], new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])), "signature")
	about := payload.Data
	if about.BundleId == "" {
		about = payload.Summary
	}
	must(about.BundleId == os.Getenv("BUNDLE_ID") && about.Environment == "Sandbox", "app")
	fmt.Println(payload.NotificationType)
}
