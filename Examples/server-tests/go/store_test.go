package servertests

import "testing"

func TestATrialRenews(t *testing.T) {
	t.Parallel()
	store := NewStore(t, "../../../App.storekit", "2026-01-01T00:00:00Z")
	bought := store.Buy("alice", "com.example.pro.monthly")
	if bought["isTrialPeriod"] != true {
		t.Errorf("%v", bought)
	}
	begun := store.Wait("SUBSCRIBED")
	if begun.Subtype != "INITIAL_BUY" || begun.Transaction["transactionId"] != bought["transactionIdentifier"] {
		t.Errorf("%+v", begun)
	}
	store.Advance("8d")
	if renewed := store.Wait("DID_RENEW"); renewed.Transaction["productId"] != "com.example.pro.monthly" {
		t.Errorf("%+v", renewed)
	}
}

func TestAPurchaseIsTold(t *testing.T) {
	t.Parallel()
	store := NewStore(t, "../../../App.storekit", "2026-01-01T00:00:00Z")
	bought := store.Buy("alice", "com.example.hiddenBeaches")
	if told := store.Wait("ONE_TIME_CHARGE"); told.Transaction["transactionId"] != bought["transactionIdentifier"] {
		t.Errorf("%+v", told)
	}
}
