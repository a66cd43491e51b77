import java.io.ByteArrayInputStream;
import java.nio.file.*;
import java.security.Signature;
import java.security.cert.*;
import java.util.*;
import java.util.regex.Pattern;

class Verify {
    static String member(String json, String name) {
        var found = Pattern.compile('"' + name + "\":\\s*(?:\"([^\"]*)\"|(\\d+)|\\[([^\\]]*)\\])").matcher(json);
        if (!found.find()) throw new IllegalArgumentException(name + " is missing");
        return found.group(1) != null ? found.group(1) : found.group(2) != null ? found.group(2) : found.group(3);
    }

    static void must(boolean holds, String what) throws Exception { if (!holds) throw new Exception(what); }

    public static void main(String[] arguments) throws Exception {
        var parts = member(new String(System.in.readAllBytes()), "signedPayload").split("\\.");
        String header = new String(Base64.getUrlDecoder().decode(parts[0])), payload = new String(Base64.getUrlDecoder().decode(parts[1]));
        var factory = CertificateFactory.getInstance("X.509");
        var root = (X509Certificate) factory.generateCertificate(Files.newInputStream(Path.of("root.cer")));
        List<X509Certificate> chain = new ArrayList<>();
        for (String text : member(header, "x5c").split(","))
            chain.add((X509Certificate) factory.generateCertificate(new ByteArrayInputStream(Base64.getDecoder().decode(text.replace("\"", "")))));
        must(member(header, "alg").equals("ES256") && chain.size() == 3 && chain.get(2).equals(root), "chain");
        must(chain.get(0).getExtensionValue("1.2.840.113635.100.6.11.1") != null && chain.get(1).getExtensionValue("1.2.840.113635.100.6.2.1") != null, "purpose");
        var parameters = new PKIXParameters(Set.of(new TrustAnchor(root, null)));
        parameters.setRevocationEnabled(false);
        parameters.setDate(new Date(Long.parseLong(member(payload, "signedDate"))));
        CertPathValidator.getInstance("PKIX").validate(factory.generateCertPath(chain.subList(0, 2)), parameters);
        var signature = Signature.getInstance("SHA256withECDSAinP1363Format");
        signature.initVerify(chain.get(0));
        signature.update((parts[0] + "." + parts[1]).getBytes());
        must(signature.verify(Base64.getUrlDecoder().decode(parts[2])), "signature");
        must(member(payload, "bundleId").equals(System.getenv("BUNDLE_ID")) && member(payload, "environment").equals("Sandbox"), "app");
        System.out.println(member(payload, "notificationType"));
    }
}
