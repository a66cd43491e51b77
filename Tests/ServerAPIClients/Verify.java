import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Signature;
import java.security.cert.CertPathValidator;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.PKIXCertPathChecker;
import java.security.cert.PKIXCertPathValidatorResult;
import java.security.cert.PKIXParameters;
import java.security.cert.PKIXRevocationChecker;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.Date;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Verifies payloads with Java's own PKIX validator and OCSP client, set as Apple's Java library sets them: the two
 * lower certificates are the path, the root is the anchor, no fallback from OCSP, both marks of the App Store.
 *
 * <p>{@code java Verify.java ROOT online|offline} reads a JWS a line and writes {@code ok} or the reason a line.
 */
class Verify {
    private static final String LEAF = "1.2.840.113635.100.6.11.1";
    private static final String INTERMEDIATE = "1.2.840.113635.100.6.2.1";

    public static void main(String[] arguments) throws Exception {
        var factory = CertificateFactory.getInstance("X.509");
        X509Certificate root;
        try (InputStream file = Files.newInputStream(Path.of(arguments[0]))) {
            root = (X509Certificate) factory.generateCertificate(file);
        }
        boolean isOnline = arguments[1].equals("online");
        for (String jws : new String(System.in.readAllBytes(), StandardCharsets.UTF_8).split("\n")) {
            try {
                verify(jws, root, isOnline, factory);
                System.out.println("ok");
            } catch (Exception exception) {
                System.out.println(("" + exception).replace('\n', ' '));
            }
        }
    }

    private static void verify(String jws, X509Certificate root, boolean isOnline, CertificateFactory factory)
            throws Exception {
        String[] parts = jws.split("\\.", -1);
        String header = text(parts[0]);
        if (!header.contains("\"alg\":\"ES256\"")) throw new Exception("algorithm");
        List<Certificate> chain = new ArrayList<>();
        Matcher list = Pattern.compile("\"x5c\":\\[([^\\]]*)\\]").matcher(header);
        if (!list.find()) throw new Exception("no x5c");
        for (String one : list.group(1).split(",")) {
            byte[] der = Base64.getDecoder().decode(one.replace("\"", ""));
            chain.add(factory.generateCertificate(new ByteArrayInputStream(der)));
        }
        if (chain.size() != 3) throw new Exception("a chain of " + chain.size());
        Matcher signed = Pattern.compile("\"signedDate\":([0-9]+)").matcher(text(parts[1]));
        var date = isOnline || !signed.find() ? new Date() : new Date(Long.parseLong(signed.group(1)));

        var validator = CertPathValidator.getInstance("PKIX");
        var parameters = new PKIXParameters(Set.of(new TrustAnchor(root, null)));
        parameters.setRevocationEnabled(isOnline);
        parameters.setDate(date);
        if (isOnline) {
            var checker = (PKIXRevocationChecker) validator.getRevocationChecker();
            checker.setOptions(Set.of(PKIXRevocationChecker.Option.NO_FALLBACK));
            parameters.addCertPathChecker(checker);
        }
        parameters.addCertPathChecker(new Marks());
        var path = factory.generateCertPath(chain.subList(0, 2));
        var result = (PKIXCertPathValidatorResult) validator.validate(path, parameters);

        var signature = Signature.getInstance("SHA256withECDSAinP1363Format");
        signature.initVerify(result.getPublicKey());
        signature.update((parts[0] + "." + parts[1]).getBytes(StandardCharsets.US_ASCII));
        if (!signature.verify(Base64.getUrlDecoder().decode(parts[2]))) throw new Exception("signature");
    }

    private static String text(String part) {
        return new String(Base64.getUrlDecoder().decode(part), StandardCharsets.UTF_8);
    }

    /** Wants each certificate's mark: the leaf's on what is no authority, the intermediate's on what is one. */
    private static class Marks extends PKIXCertPathChecker {
        @Override public void init(boolean isForward) {}
        @Override public boolean isForwardCheckingSupported() { return true; }
        @Override public Set<String> getSupportedExtensions() { return Set.of(LEAF, INTERMEDIATE); }

        @Override public void check(Certificate certificate, Collection<String> unresolved)
                throws java.security.cert.CertPathValidatorException {
            var one = (X509Certificate) certificate;
            if (one.getExtensionValue(one.getBasicConstraints() < 0 ? LEAF : INTERMEDIATE) == null) {
                throw new java.security.cert.CertPathValidatorException("a mark is missing");
            }
        }
    }
}
