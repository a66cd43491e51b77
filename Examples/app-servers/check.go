package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"time"
)

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func encode(value interface{}) string {
	text, err := json.Marshal(value)
	must(err)
	return base64.RawURLEncoding.EncodeToString(text)
}

func main() {
	file, err := os.ReadFile("AuthKey.p8")
	must(err)
	block, _ := pem.Decode(file)
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	must(err)
	now := time.Now().Unix()
	input := encode(map[string]string{"alg": "ES256", "kid": os.Getenv("KEY_ID"), "typ": "JWT"}) + "." + encode(map[string]interface{}{
		"iss": os.Getenv("ISSUER_ID"), "iat": now, "exp": now + 600, "aud": "appstoreconnect-v1", "bid": os.Getenv("BUNDLE_ID")})
	digest := sha256.Sum256([]byte(input))
	r, s, err := ecdsa.Sign(rand.Reader, key.(*ecdsa.PrivateKey), digest[:])
	must(err)
	signature := append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...)
	request, err := http.NewRequest("GET", os.Getenv("STOREBUS_URL")+"/inApps/v1/transactions/"+os.Args[1], nil)
	must(err)
	request.Header.Set("Authorization", "Bearer "+input+"."+base64.RawURLEncoding.EncodeToString(signature))
	response, err := http.DefaultClient.Do(request)
	must(err)
	body, err := io.ReadAll(response.Body)
	must(err)
	if response.StatusCode != 200 {
		must(fmt.Errorf("%s: %s", response.Status, body))
	}
	verify := exec.Command("storebus", "verify", "-", "--root", "root.cer", "--url", os.Getenv("STOREBUS_URL"), "-o", "json")
	verify.Stdin, verify.Stderr = bytes.NewReader(body), os.Stderr
	printed, err := verify.Output()
	must(err)
	var verified struct {
		Data struct{ Payload struct{ ProductId string } }
	}
	must(json.Unmarshal(printed, &verified))
	fmt.Println(verified.Data.Payload.ProductId)
}
