// Package servertests has a store for each test of an app's server: copy it beside your tests.
package servertests

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"
)

// Store is an isolated store of the Storebus that STOREBUS_URL and STOREBUS_ADMIN_KEY name (storebus env).
type Store struct {
	Name          string `json:"store"`
	URL           string `json:"url"`
	BundleID      string `json:"bundleId"`
	AdminKey      string `json:"adminKey"`
	IssuerID      string `json:"issuerId"`
	KeyID         string `json:"keyId"`
	PrivateKey    string `json:"privateKey"`
	Notifications chan Notification
	t             testing.TB
}

// Notification is one of version 2. Its parts are read and not verified.
type Notification struct {
	Type        string `json:"notificationType"`
	Subtype     string `json:"subtype"`
	Signed      string `json:"-"`
	Transaction map[string]any
	Data        struct {
		SignedTransactionInfo string `json:"signedTransactionInfo"`
	} `json:"data"`
}

// NewStore makes a store of the catalogue, at an instant such as 2026-01-01T00:00:00Z. The test's end removes it.
func NewStore(t testing.TB, catalogue, clock string) *Store {
	t.Helper()
	gateway, _, _ := strings.Cut(os.Getenv("STOREBUS_URL"), "/s/")
	key := os.Getenv("STOREBUS_ADMIN_KEY")
	if gateway == "" || key == "" {
		t.Fatal(`no store: storebus up --detach, then eval "$(storebus env)"`)
	}
	file, err := os.ReadFile(catalogue)
	if err != nil {
		t.Fatal(err)
	}
	query := url.Values{"bundleId": {"com.example.app"}, "clock": {clock}, "fileName": {catalogue}}
	store := &Store{Notifications: make(chan Notification, 1000), t: t}
	send(t, gateway, key, "POST", "/admin/v1/stores/file?"+query.Encode(), "", file, store)
	server := httptest.NewServer(http.HandlerFunc(store.receive))
	t.Cleanup(func() {
		send(t, gateway, key, "DELETE", "/admin/v1/stores/"+store.Name, "", nil, nil)
		server.Close()
	})
	store.Operator("PUT", "/notifications/endpoint", map[string]string{"url": server.URL, "retry": "fast"}, nil)
	return store
}

// Operator sends a request of the operator about the store's app.
func (store *Store) Operator(method, path string, body, result any) {
	store.t.Helper()
	send(store.t, store.URL, store.AdminKey, method, "/admin/v1/apps/"+store.BundleID+path, unique(), body, result)
}

// Buy buys a product as the app of a customer, and returns the transaction.
func (store *Store) Buy(account, product string) (transaction map[string]any) {
	store.t.Helper()
	var session struct{ Token string }
	send(store.t, store.URL, "", "POST", "/v1/sessions", "", map[string]string{
		"bundleId": store.BundleID, "account": account, "deviceId": account + "-1", "platform": "iOS",
		"osVersion": "18.0", "appVersion": "1.0"}, &session)
	send(store.t, store.URL, session.Token, "POST", "/v1/payments", unique(),
		map[string]string{"productIdentifier": product}, &transaction)
	return transaction
}

// Advance moves the store's clock, by 1mo, 7d or 90s. All that falls due has happened when it returns.
func (store *Store) Advance(by string) {
	store.t.Helper()
	key := unique()
	for moved := (struct{ IsFinished bool }{}); !moved.IsFinished; {
		// The same key asks how far it is.
		send(store.t, store.URL, store.AdminKey, "POST", "/admin/v1/apps/"+store.BundleID+"/clock/advance", key,
			map[string]string{"by": by}, &moved)
	}
}

// Wait waits for the next notification of a type, and passes over others.
func (store *Store) Wait(kind string) Notification {
	store.t.Helper()
	var came []string
	for late := time.After(10 * time.Second); ; {
		select {
		case one := <-store.Notifications:
			if one.Type == kind {
				return one
			}
			came = append(came, one.Type)
		case <-late:
			store.t.Fatalf("no %s within 10 s; came: %v", kind, came)
		}
	}
}

func (store *Store) receive(response http.ResponseWriter, request *http.Request) {
	var body struct{ SignedPayload string }
	var one Notification
	if err := json.NewDecoder(request.Body).Decode(&body); err == nil {
		one.Signed = body.SignedPayload
		read(one.Signed, &one)
		read(one.Data.SignedTransactionInfo, &one.Transaction)
	}
	store.Notifications <- one
}

func read(jws string, value any) {
	if parts := strings.Split(jws, "."); len(parts) == 3 {
		payload, _ := base64.RawURLEncoding.DecodeString(parts[1])
		_ = json.Unmarshal(payload, value)
	}
}

func unique() string { return fmt.Sprintf("go-%d", time.Now().UnixNano()) }

func send(t testing.TB, base, token, method, path, key string, body, result any) {
	t.Helper()
	var content io.Reader
	switch body := body.(type) {
	case nil:
	case []byte:
		content = bytes.NewReader(body)
	default:
		data, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		content = bytes.NewReader(data)
	}
	request, err := http.NewRequest(method, base+path, content)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	data, _ := io.ReadAll(response.Body)
	if response.StatusCode >= 300 {
		t.Fatalf("%s %s: %d %s", method, path, response.StatusCode, data)
	}
	if result != nil {
		if err := json.Unmarshal(data, result); err != nil {
			t.Fatal(err)
		}
	}
}
