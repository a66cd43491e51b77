import ArgumentParser
import StoreModels

/// `storebus trust [LANGUAGE]`
struct TrustCommand: OptionalAppCommand, ReadingCommand {
    static let configuration = CommandConfiguration(
        "trust", "Print how to point a server's App Store library here, by language.",
        """
        storebus trust
        storebus trust node
        storebus trust java -o json

        Two ways lead here: Apple's own host name, so that the server stays as it is, or the address of this store, \
        where the library has a place for it. Either way the verifier gets this store's root in place of Apple's.
        """)

    @Argument("\(Language.listed); all of them without it.", "language", .list(Language.rawValues))
    var language: String?
    @OptionGroup var app: AppOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws { try Choice.check("LANGUAGE", language, among: Language.rawValues) }

    func run(_ context: CommandContext) async throws {
        let root = context.directory.map(\.rootCertificate) ?? "\(context.environment.currentDirectory)/root"
        let store = Store(
            url: context.settings.url.text, bundleId: context.bundleId, pem: "\(root).pem", der: "\(root).cer")
        let chosen = language.flatMap(Language.init).map { [$0] } ?? Language.allCases
        var notes: [Advice] = []
        if context.directory == nil {
            notes.append("write the root first: storebus ca root --out root.pem, and --out root.cer")
        }
        let key = "AuthKey.p8"
        let isKeyThere = FileAccess.size(context.path(key)) != nil
        context.print(
            store.alias + chosen.map { "\n\(store.text($0))" }.joined(),
            data: .object([
                "alias": .string(Store.host),
                "languages": .object(
                    Dictionary(uniqueKeysWithValues: chosen.map { ($0.rawValue, store.json($0)) })),
            ]), names: chosen.map(\.rawValue),
            next: isKeyThere ? "storebus key list" : "storebus key create --kind inAppPurchase --p8 \(key)",
            notes: notes)
    }

    /// The languages of Apple's libraries, and those without one that are asked for.
    enum Language: String, CaseIterable {
        case python, node, java, swift, go, php, ruby, curl
    }

    /// The values that the lines are filled with.
    struct Store {
        let url: String
        let bundleId: String
        /// The files of the root.
        let pem: String
        let der: String

        /// The sandbox's host in Apple's libraries.
        static let host = "api.storekit-sandbox.apple.com"
        /// Every name of Apple's: the Server API, new and old, and verifyReceipt.
        private static let hosts =
            "api.storekit.apple.com \(host) api.storekit.itunes.apple.com api.storekit-sandbox.itunes.apple.com "
            + "buy.itunes.apple.com sandbox.itunes.apple.com"

        /// The steps every language needs for Apple's own host names.
        var alias: String {
            """
            Apple's host names lead here: the store speaks HTTPS, and the machine of the server under test has the names.
              storebus up --https-port 443
              echo '127.0.0.1 \(Self.hosts)' >> /etc/hosts
            Then the server's process trusts the root, and no other process does. Or its library gets the address, \(url).

            """
        }

        /// How a process trusts the root.
        func trust(_ language: Language) -> ShellCommand {
            switch language {
            case .python: "export REQUESTS_CA_BUNDLE=\(pem)"
            case .node: "export NODE_EXTRA_CA_CERTS=\(pem)"
            case .java:
                """
                keytool -importcert -noprompt -alias storebus -file \(pem) -keystore store.jks -storepass storebus && \
                export JAVA_TOOL_OPTIONS='-Djavax.net.ssl.trustStore=store.jks \
                -Djavax.net.ssl.trustStorePassword=storebus'
                """
            case .swift: "cp \(pem) /usr/local/share/ca-certificates/storebus.crt && update-ca-certificates"
            case .go, .ruby: "export SSL_CERT_FILE=\(pem)"
            case .php: "php -d curl.cainfo=\(pem) -d openssl.cafile=\(pem) …"
            case .curl: "curl --cacert \(pem) https://api.storekit-sandbox.apple.com/…"
            }
        }

        /// How a library gets the address in place of Apple's. Nil if it has no setting for it.
        func address(_ language: Language) -> String? {
            let address = JSONText.line(.string(url))
            return switch language {
            case .python: "client._base_url = \(address)"
            case .node: "client.urlBase = \(address)   // private in TypeScript: (client as any)"
            case .java:
                "new AppStoreServerAPIClient(…) { protected String getUrlForEnvironment(Environment e) "
                    + "{ return \(address); } }"
            case .swift: nil
            case .go, .php, .ruby: "the base URL of the client: \(url)"
            case .curl: ("curl \(url)/…" as ShellCommand).text
            }
        }

        /// How the verifier gets the root. Nil without a library.
        func verifier(_ language: Language) -> String? {
            let (root, app) = (JSONText.line(.string(der)), JSONText.line(.string(bundleId)))
            return switch language {
            case .python: "SignedDataVerifier([open(\(root), \"rb\").read()], True, Environment.SANDBOX, \(app))"
            case .node: "new SignedDataVerifier([fs.readFileSync(\(root))], true, Environment.SANDBOX, \(app))"
            case .java:
                "new SignedDataVerifier(Set.of(new FileInputStream(\(root))), \(app), null, Environment.SANDBOX, true)"
            case .swift:
                "SignedDataVerifier(rootCertificates: [Data(contentsOf: URL(fileURLWithPath: \(root)))], "
                    + "bundleId: \(app), appAppleId: nil, environment: .sandbox, enableOnlineChecks: true)"
            case .go, .php, .ruby: nil
            case .curl: "storebus verify FILE"
            }
        }

        func text(_ language: Language) -> String {
            let fields: FieldList = [
                "trust": trust(language).text,
                "address": address(language) ?? "has no place in the library; use the host name",
                "verifier": verifier(language) ?? "as your library wants it, with \(der)",
            ]
            return "\(language.rawValue)\n" + fields.text(.plain).split(separator: "\n").map { "  \($0)\n" }.joined()
        }

        func json(_ language: Language) -> JSONValue {
            var members: [String: JSONValue] = ["trust": .string(trust(language).text)]
            members["address"] = address(language).map { .string($0) }
            members["verifier"] = verifier(language).map { .string($0) }
            return .object(members)
        }
    }
}
