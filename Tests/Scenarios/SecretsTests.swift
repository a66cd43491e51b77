import Cryptography
import EventLoop
import Foundation
import NIOHTTP1
import StoreModels
import StorebusTesting
import Testing

@testable import Persistence

/// Goal: secrets and people's names are where they belong and nowhere else (S19, S20).
/// Method: a real store that logs all it can, in which purchases, refusals and errors have happened. Then everything it
/// has said or shows is searched for each secret: logs, metrics, the broker's pages, error responses, arguments and
/// variables of its processes, and its files. Private keys are searched for in each of their forms.
@Suite(.process) struct SecretsTests {
    private static let services = [
        "broker", "catalog", "payment-queue", "payment-processor", "promotion-controller", "eligibility",
        "app-store-server", "gateway",
    ]
    private static let person = "canary.person@example.com"

    /// What must be found nowhere, by what it is.
    private struct Secret {
        let name: String
        let text: String
        /// Files in the data directory that have it on purpose.
        var files: [String] = []
        /// Whether it is the store's own secret, which also its databases must not have.
        var isInNoFile = true
    }

    /// A private key on P-256, in each form in which a file may have it.
    private struct PrivateKey {
        let name: String
        let forms: [Data]

        init(_ name: String, _ key: P256.Signing.PrivateKey) {
            let (scalar, document) = (Data(key.rawRepresentation), Data(key.derRepresentation))
            self.name = name
            // A PEM breaks its Base64 into lines. Its label is looked for.
            forms =
                [scalar, document]
                + [scalar.base64EncodedString(), document.base64EncodedString(), Self.hexadecimal(scalar)].map {
                    Data($0.utf8)
                }
        }

        func isIn(_ data: Data) -> Bool { forms.contains { data.range(of: $0) != nil } }

        private static func hexadecimal(_ data: Data) -> String {
            data.map { byte in String(byte >> 4, radix: 16) + String(byte & 15, radix: 16) }.joined()
        }
    }

    @Test func `no secret is in a log, a page, an error response, an argument or another file`() async throws {
        let variables = ["LOG_LEVEL": "debug", "SWIFT_DETERMINISTIC_HASHING": "1"]
        try await StoreStack.run(environment: variables) { store in
            let secrets = try await Self.live(in: store)
            #expect(secrets.allSatisfy { $0.text.utf8.count >= 12 })
            let refusals = try await Self.refusals(of: store, secrets)
            let pages = try await Self.pages(of: store)
            let processes = try Self.processes(of: store)
            var logs = try Self.services.map { service in
                (
                    "log of \(service)",
                    try String(contentsOfFile: store.directory.file("logs/\(service).1.log"), encoding: .utf8)
                )
            }
            logs.append(("output of up", store.output))
            for secret in secrets {
                for (place, text) in refusals + pages + processes + logs {
                    #expect(!text.contains(secret.text), "\(secret.name) is in the \(place)")
                }
            }
            try Self.checkFiles(of: store, secrets)
            try Self.checkKeys(of: store, try await Self.appKeys(in: store))
            // What was searched is really there.
            for (place, text) in logs.dropLast() {
                #expect(text.contains("SWIFT_DETERMINISTIC_HASHING is set"), "S24: the \(place) has no warning")
            }
            #expect(logs[7].1.contains("GET /v1/customers/{account}/history"))
            #expect(pages.count { $0.1.contains("process_resident_memory_bytes") } == Self.services.count + 1)
            #expect(refusals.count > 30 && refusals.allSatisfy { $0.1.contains("urn:storebus:problem:") })
        }
    }

    /// Lets things happen in the store, and returns the secrets that it and its clients have.
    private static func live(in store: StoreStack) async throws -> [Secret] {
        let token = { (name: String) throws in
            try String(contentsOfFile: store.directory.file(name), encoding: .utf8)
                .trimmingCharacters(in: .whitespacesAndNewlines)
        }
        let sessionKey = try Data(contentsOf: URL(fileURLWithPath: store.directory.file("gateway/session.key")))
        var secrets = [
            Secret(name: "admin key", text: store.adminKey, files: ["admin.key"]),
            Secret(name: "bus token", text: try token("bus.token"), files: ["bus.token"]),
            Secret(name: "session key", text: sessionKey.base64EncodedString()),
            Secret(name: "session key", text: sessionKey.map { String($0, radix: 16) }.joined()),
        ]
        for kind in ["api", "sharedSecret", "subscriptionOffer"] {
            let key = try await store.must(
                .POST, "/admin/v1/apps/com.example.app/keys", .object(["kind": .string(kind)]))
            let text = try #require(key.json?["secret"]?.stringValue)
            // Of a PEM the line with the key.
            let line = text.split(separator: "\n").max { $0.count < $1.count }
            secrets.append(Secret(name: kind, text: String(try #require(line))))
        }
        let api = secrets[4].text
        let customer = try await store.session(account: person, deviceId: "phone-1")
        secrets.append(Secret(name: "session token", text: customer.token))
        let bought = try await customer.buy("com.example.hiddenBeaches", key: "canary-idempotency-key-1")
        try await customer.finish(bought.id)
        let receipt = try await store.must(.GET, "/v1/receipt", token: customer.token)
        let data = try #require(receipt.json?["receiptData"]?.stringValue)
        secrets.append(Secret(name: "receipt", text: String(data.dropFirst(200).prefix(60))))
        let body = JSONValue.object(["receipt-data": .string(data), "password": .string(secrets[5].text)])
        let verified = try await store.must(.POST, "/verifyReceipt", body)
        #expect(verified.json?["status"]?.intValue == 0)
        let name = JSONValue.object([
            "productIdentifier": "com.example.fishingHotSpots", "applicationUsername": "canary-username",
        ])
        try await store.must(.POST, "/v1/payments", token: customer.token, key: "canary-idempotency-key-2", name)
        try await store.must(.GET, "/v1/customers/\(person)/history", token: api)
        try await store.must(.GET, "/admin/v1/testers/\(person)")
        // Names of people are in databases on purpose.
        secrets += [
            Secret(name: "account", text: person, isInNoFile: false),
            Secret(name: "username", text: "canary-username", isInNoFile: false),
        ]
        return secrets
    }

    /// Requests that are refused, with every secret in places where it does not belong.
    private static func refusals(of store: StoreStack, _ secrets: [Secret]) async throws -> [(String, String)] {
        var refusals: [(String, String)] = []
        for secret in secrets where secret.isInNoFile {
            let quoted = secret.text.replacing("+", with: "%2B").replacing("/", with: "%2F")
            for (method, path, token, body) in [
                (.GET, "/v1/transactions", secret.text + "x", nil), (.GET, "/v1/products?ids=\(quoted)", "wrong", nil),
                (.POST, "/v1/sessions", nil, #"{"\#(secret.text)":1}"#),
                (.POST, "/v1/payments", secret.text + "x", "{"),
                (.DELETE, "/v1/sessions/\(quoted)", nil, nil),
            ] as [(HTTPMethod, String, String?, String?)] {
                let answer = try await store.request(method, path, token: token, body: body.map { Array($0.utf8) })
                #expect(answer.status >= 400)
                // The name of an unknown member is the caller's own and is repeated to it; logs never have it.
                let text = path == "/v1/sessions" ? answer.text.replacing(secret.text, with: "") : answer.text
                refusals.append(("response to \(method) \(path)", text))
            }
        }
        return refusals
    }

    /// Metrics and health of every process, and the broker's pages about its connections.
    private static func pages(of store: StoreStack) async throws -> [(String, String)] {
        struct Ready: Decodable { let monitorPort: Int }
        var pages: [(String, String)] = []
        for service in services {
            let file = store.directory.file("run/\(service).1.ready")
            let ready = try JSONDecoder().decode(Ready.self, from: Data(contentsOf: URL(fileURLWithPath: file)))
            let own = service == "broker" ? ["/varz", "/connz?subs=1&state=any", "/subsz"] : []
            for path in ["/metrics", "/healthz"] + own {
                let answer = try await store.request(.GET, path, at: "http://127.0.0.1:\(ready.monitorPort)")
                #expect(answer.status == 200)
                pages.append(("page \(path) of \(service)", answer.text))
            }
        }
        pages.append(("metrics on the gateway's port", try await store.must(.GET, "/metrics").text))
        return pages
    }

    /// Arguments and variables of every process. Only the gateway knows where the admin key is.
    private static func processes(of store: StoreStack) throws -> [(String, String)] {
        try services.flatMap { service in
            let pid = try store.pid(of: service)
            let read = { (name: String) in try #require(ProcessFile.text("/proc/\(pid)/\(name)")) }
            let (arguments, variables) = (try read("cmdline"), try read("environ"))
            #expect(arguments.contains(service) && variables.contains("BUS_CREDENTIALS_FILE="))
            #expect(variables.contains("STOREBUS_ADMIN_KEY") == (service == "gateway"), "\(service)")
            return [("arguments of \(service)", arguments), ("variables of \(service)", variables)]
        }
    }

    /// The store's secrets are in their own files and in no other, and those are their owner's only.
    private static func checkFiles(of store: StoreStack, _ secrets: [Secret]) throws {
        let files = try FileManager.default.subpathsOfDirectory(atPath: store.directory.path)
        for file in files {
            let path = store.directory.file(file)
            guard let data = FileManager.default.contents(atPath: path) else { continue }
            for secret in secrets where secret.isInNoFile {
                let isThere = data.range(of: Data(secret.text.utf8)) != nil
                #expect(isThere == secret.files.contains(file), "\(secret.name) and the file \(file)")
            }
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int ?? 0o777
            let isPublic = ["root.cer", "root.pem", "up.out"].contains(file)
            #expect(isPublic || mode & 0o077 == 0, "\(file) has mode \(String(mode, radix: 8))")
        }
        #expect(files.contains("gateway.sqlite"))
    }

    // MARK: Private keys

    private static let keyDatabase = "app-store-server.sqlite"

    /// Makes keys of an app and of the account, whose private halves only the responses have.
    private static func appKeys(in store: StoreStack) async throws -> [PrivateKey] {
        var keys: [PrivateKey] = []
        for (path, kind) in [
            ("apps/com.example.app/keys", "subscriptionOffer"), ("apps/com.example.app/keys", "inAppPurchase"),
            ("keys", "inAppPurchase"),
        ] {
            let made = try await store.must(.POST, "/admin/v1/\(path)", .object(["kind": .string(kind)]))
            let secret = try #require(made.json?["secret"]?.stringValue)
            keys.append(PrivateKey("\(kind) of \(path)", try P256.Signing.PrivateKey(pemRepresentation: secret)))
        }
        // The authority of signed transactions is made when it is first used.
        try await store.must(.GET, "/admin/v1/signing")
        return keys
    }

    /// The keys of the signing authorities, as the database has them.
    private static func signingKeys(of store: StoreStack) throws -> [PrivateKey] {
        let connection = try SQLiteOpening.reader(path: store.directory.file(keyDatabase))
        var keys: [PrivateKey] = []
        for authority in ["receipts", "appStore"] {
            for column in ["root_key", "intermediate_key", "leaf_key"] {
                let value = try connection.value("SELECT \(column) FROM signing_authority WHERE name = '\(authority)'")
                guard case .blob(let scalar)? = value else { throw StackError("no \(column) of \(authority)") }
                keys.append(
                    PrivateKey(
                        "\(column) of \(authority)", try P256.Signing.PrivateKey(rawRepresentation: Data(scalar))))
            }
        }
        try connection.close()
        return keys
    }

    /// The store's private keys are in AppStoreServer's database and in no other file, and an app's are in none. The
    /// gateway has no file of that database open, nor mapped.
    private static func checkKeys(of store: StoreStack, _ appKeys: [PrivateKey]) throws {
        let signingKeys = try signingKeys(of: store)
        var owned = Data()
        for file in try FileManager.default.subpathsOfDirectory(atPath: store.directory.path) {
            guard let data = FileManager.default.contents(atPath: store.directory.file(file)) else { continue }
            let isOwners = file.hasPrefix(keyDatabase)
            if isOwners { owned += data }
            #expect(data.range(of: Data("PRIVATE KEY".utf8)) == nil, "\(file) has a PEM")
            for key in isOwners ? appKeys : appKeys + signingKeys {
                #expect(!key.isIn(data), "\(key.name) is in \(file)")
            }
        }
        for key in signingKeys { #expect(key.isIn(owned), "\(key.name) was not searched for in its form") }
        let (gateway, owner) = (try openFiles(of: "gateway", store), try openFiles(of: "app-store-server", store))
        #expect(gateway.contains("/gateway.sqlite") && !gateway.contains("/\(keyDatabase)"), "\(gateway)")
        #expect(owner.contains("/\(keyDatabase)"))
    }

    /// The names of the files that a process has mapped or open.
    private static func openFiles(of service: String, _ store: StoreStack) throws -> String {
        let pid = try store.pid(of: service)
        let process = "/proc/\(pid)"
        let maps = try #require(ProcessFile.text("\(process)/maps"))
        // One that was closed meanwhile has no name.
        let open = ProcessFile.names(in: "\(process)/fd").compactMap { ProcessFile.target(of: "\(process)/fd/\($0)") }
        return ([maps] + open).joined(separator: "\n")
    }
}
