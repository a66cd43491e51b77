import BusClient
import BusProtocol
import EventLoop
import Logging

/// The address in `BUS_URL`, which decides the client. Only this type knows that several kinds of bus exist.
package enum BusAddress: Sendable, Equatable, CustomStringConvertible {
    /// `storebus://…` or `tls://…`: Storebus's own broker.
    case storebus(BusURL)
    /// `nats://a,b,c` or `nats+tls://a,b,c`: a NATS cluster.
    case nats(NATSURL)

    /// Reads the text form.
    ///
    /// - Throws: `invalidURL`, naming the part and its valid form.
    package init(parsing text: String) throws(BusError) {
        self = NATSURL.isNATS(text) ? .nats(try NATSURL(parsing: text)) : .storebus(try BusURL(parsing: text))
    }

    /// Takes the content of a credentials file as the client's secret.
    package mutating func add(secret: String) {
        switch self {
        case .storebus(var url):
            url.token = secret
            self = .storebus(url)
        case .nats(var url):
            url.add(secret: secret)
            self = .nats(url)
        }
    }

    /// Takes the files of an address that says TLS. Others have no use for them.
    ///
    /// - Throws: `tlsFailed`, naming a file that cannot be used.
    package mutating func add(tls files: TLSFiles) throws(BusError) {
        let (isSecure, peer) =
            switch self {
            case .storebus(let url): (url.tls != nil, "broker")
            case .nats(let url): (url.tls != nil, "server")
            }
        guard isSecure else { return }
        do throws(TLSError) {
            _ = try TLSContext(.client, files)
        } catch {
            throw BusError(tls: error, peer: peer, address: description, authorities: files.authorities)
        }
        switch self {
        case .storebus(var url):
            url.tls = files
            self = .storebus(url)
        case .nats(var url):
            url.tls = files
            self = .nats(url)
        }
    }

    /// Whether the address itself contains the client's credentials.
    package var hasSecret: Bool {
        switch self {
        case .storebus(let url): url.token != nil
        case .nats(let url): url.credentials != .none
        }
    }

    /// Creates a client and begins to connect.
    ///
    /// - Parameter instance: Random for each process start, for a bus that lets a new connection of the same instance
    ///   replace the older one.
    package func connect(
        name: String, version: String? = nil, instance: String? = nil, loop: UVLoop, logger: Logger
    ) -> any BusClient {
        switch self {
        case .storebus(let url):
            var configuration = SBPClient.Configuration(url: url, name: name, instance: instance)
            if let version { configuration.version = version }
            let client = SBPClient(configuration: configuration, loop: loop, logger: logger)
            client.start()
            return client
        case .nats(let url):
            let client = NATSClient(configuration: .init(url: url, name: name), loop: loop, logger: logger)
            client.start()
            return client
        }
    }

    /// The address as text, without secrets.
    package var description: String {
        switch self {
        case .storebus(let url): url.description
        case .nats(let url): url.description
        }
    }
}
