package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/golang-jwt/jwt"
)

func main() {
	file, _ := os.ReadFile("AuthKey.p8")
	key, err := jwt.ParseECPrivateKeyFromPEM(file)
	now := time.Now().Unix()
	token := jwt.NewWithClaims(jwt.SigningMethodES256, jwt.MapClaims{"iss": os.Getenv("ISSUER_ID"), "iat": now, "exp": now + 600, "aud": "appstoreconnect-v1", "bid": os.Getenv("BUNDLE_ID")})
	token.Header["kid"] = os.Getenv("KEY_ID")
	bearer, err := token.SignedString(key)
	request, err := http.NewRequest("GET", os.Getenv("STOREBUS_URL")+"/inApps/v1/transactions/"+os.Args[1], nil)
	request.Header.Set("Authorization", "Bearer "+bearer)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	body, err := io.ReadAll(response.Body)
	fmt.Println(response.StatusCode, string(body)) // storebus verify - verifies it
}
