import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class StoreTest {
    private static final Path CATALOGUE = Path.of(System.getProperty("catalogue", "App.storekit"));

    @Test void aTrialRenews() throws Exception {
        try (var store = new Store(CATALOGUE, "2026-01-01T00:00:00Z")) {
            var bought = store.buy("alice", "com.example.pro.monthly");
            assertTrue(bought.get("isTrialPeriod").getAsBoolean());
            assertEquals("INITIAL_BUY", store.await("SUBSCRIBED").get("subtype").getAsString());
            store.advance("8d");
            var data = store.await("DID_RENEW").getAsJsonObject("data");
            var renewal = Store.decoded(data.get("signedTransactionInfo").getAsString());
            assertEquals(bought.get("transactionIdentifier"), renewal.get("originalTransactionId"));
        }
    }

    @Test void aPurchaseIsTold() throws Exception {
        try (var store = new Store(CATALOGUE, "2026-01-01T00:00:00Z")) {
            var bought = store.buy("alice", "com.example.hiddenBeaches");
            var data = store.await("ONE_TIME_CHARGE").getAsJsonObject("data");
            var told = Store.decoded(data.get("signedTransactionInfo").getAsString());
            assertEquals(bought.get("transactionIdentifier"), told.get("transactionId"));
        }
    }
}
