import com.google.gson.Gson;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** An isolated store of the Storebus that STOREBUS_URL and STOREBUS_ADMIN_KEY name: copy it beside your tests. */
public final class Store implements AutoCloseable {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final Gson GSON = new Gson();

    /** What the store was made with: store, url, bundleId, issuerId, keyId, privateKey, rootCertificate. */
    public final JsonObject made;
    private final String gateway = System.getenv("STOREBUS_URL").split("/s/")[0];
    private final String url;
    private final String adminKey;
    private final HttpServer server;
    private final LinkedBlockingQueue<JsonObject> notifications = new LinkedBlockingQueue<>();

    /** Makes a store of the catalogue, at an instant such as 2026-01-01T00:00:00Z. */
    public Store(Path catalogue, String clock) throws Exception {
        var query = "?bundleId=com.example.app&clock=" + clock;
        made = send(gateway, System.getenv("STOREBUS_ADMIN_KEY"), "POST", "/admin/v1/stores/file" + query,
            Files.readString(catalogue));
        url = made.get("url").getAsString();
        adminKey = made.get("adminKey").getAsString();
        server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.createContext("/", exchange -> {
            var body = JsonParser.parseReader(new java.io.InputStreamReader(exchange.getRequestBody(), StandardCharsets.UTF_8));
            notifications.add(decoded(body.getAsJsonObject().get("signedPayload").getAsString()));
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        server.start();
        operator("PUT", "/notifications/endpoint",
            Map.of("url", "http://127.0.0.1:" + server.getAddress().getPort(), "retry", "fast"));
    }

    @Override public void close() throws Exception {
        send(gateway, System.getenv("STOREBUS_ADMIN_KEY"), "DELETE",
            "/admin/v1/stores/" + made.get("store").getAsString(), null);
        server.stop(0);
    }

    /** Sends a request of the operator about the store's app. */
    public JsonObject operator(String method, String path, Map<String, ?> body) throws Exception {
        return send(url, adminKey, method, "/admin/v1/apps/com.example.app" + path, GSON.toJson(body));
    }

    /** Buys a product as the app of a customer, and returns the transaction. */
    public JsonObject buy(String account, String product) throws Exception {
        var session = send(url, null, "POST", "/v1/sessions", GSON.toJson(Map.of(
            "bundleId", "com.example.app", "account", account, "deviceId", account + "-1", "platform", "iOS",
            "osVersion", "18.0", "appVersion", "1.0")));
        return send(url, session.get("token").getAsString(), "POST", "/v1/payments",
            GSON.toJson(Map.of("productIdentifier", product)));
    }

    /** Moves the store's clock, by 1mo, 7d or 90s. What falls due has happened when it returns. */
    public JsonObject advance(String by) throws Exception {
        var key = UUID.randomUUID().toString();
        while (true) {
            // The same key asks how far it is.
            var moved = send(url, adminKey, "POST", "/admin/v1/apps/com.example.app/clock/advance",
                GSON.toJson(Map.of("by", by)), key);
            if (moved.get("isFinished").getAsBoolean()) return moved;
        }
    }

    /** Waits for the next notification of a type, and passes over others. Its parts are read and not verified. */
    public JsonObject await(String type) throws Exception {
        List<String> came = new ArrayList<>();
        while (true) {
            var one = notifications.poll(10, TimeUnit.SECONDS);
            if (one == null) throw new AssertionError("no " + type + " within 10 s; came: " + came);
            came.add(one.get("notificationType").getAsString());
            if (one.get("notificationType").getAsString().equals(type)) return one;
        }
    }

    /** The payload of a JWS. */
    public static JsonObject decoded(String jws) {
        var payload = Base64.getUrlDecoder().decode(jws.split("\\.")[1]);
        return JsonParser.parseString(new String(payload, StandardCharsets.UTF_8)).getAsJsonObject();
    }

    private static JsonObject send(String base, String token, String method, String path, String body) throws Exception {
        return send(base, token, method, path, body, UUID.randomUUID().toString());
    }

    private static JsonObject send(
            String base, String token, String method, String path, String body, String key) throws Exception {
        var request = HttpRequest.newBuilder(URI.create(base + path)).header("Content-Type", "application/json")
            .header("Idempotency-Key", key)
            .method(method, body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body));
        if (token != null) request.header("Authorization", "Bearer " + token);
        var response = CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() >= 300) {
            throw new AssertionError(method + " " + path + ": " + response.statusCode() + " " + response.body());
        }
        return response.body().isEmpty() ? new JsonObject() : JsonParser.parseString(response.body()).getAsJsonObject();
    }
}
