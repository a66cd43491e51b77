import com.apple.itunes.storekit.client.AppStoreServerAPIClient;
import com.apple.itunes.storekit.model.Environment;
import com.apple.itunes.storekit.verification.SignedDataVerifier;
import java.io.FileInputStream;
import java.nio.file.*;
import java.util.*;

class Check {
    public static void main(String[] arguments) throws Exception {
        Map<String, String> env = System.getenv();
        var client = new AppStoreServerAPIClient(
                Files.readString(Path.of("AuthKey.p8")), env.get("KEY_ID"), env.get("ISSUER_ID"), env.get("BUNDLE_ID"), Environment.SANDBOX) {
            // Not with Apple's host name.
            @Override protected String getUrlForEnvironment(Environment environment) { return env("STOREBUS_URL"); }
            private static String env(String name) { return System.getenv(name); }
        };
        var signed = client.getTransactionInfo(arguments[0]).getSignedTransactionInfo();
        var verifier = new SignedDataVerifier(
                Set.of(new FileInputStream("root.cer")), env.get("BUNDLE_ID"), null, Environment.SANDBOX, true);
        System.out.println(verifier.verifyAndDecodeTransaction(signed).getProductId());
    }
}
