import EventLoop

/// The reason why a broker did not start, with the remedy.
package enum BrokerStartError: Error, Equatable, CustomStringConvertible {
    case portOutOfRange(Int)
    case openBeyondLoopback(String)
    case tokenMissing(String)
    case tokenUnreadable(String)
    case tokenEmpty(String)
    case usersUnreadable(String)
    /// The users file has an error.
    case usersFile(String, UsersFileFault)
    /// Both a token for all clients and users with their own tokens are set.
    case tokenAndUsers
    /// Some of the files for TLS are set, but not both the certificate and the key.
    case tlsWithoutCertificate
    /// A file for TLS cannot be used.
    case tls(TLSError)
    /// Another process listens on the port. `owner` is nil if it is unknown.
    case portInUse(port: Int, owner: PortOwner?, flag: String)
    case cannotListen(String)
    /// Another broker holds the lock file. `holder` is "pid 812 (broker)".
    case secondBroker(holder: String, lockFile: String)
    /// The lock file cannot be created or locked. The second value is the reason.
    case lockUnusable(String, String)

    /// Whether the address rather than a setting causes the error.
    package var isUnavailable: Bool {
        switch self {
        case .portInUse, .cannotListen: true
        case .portOutOfRange, .openBeyondLoopback, .tokenMissing, .tokenUnreadable, .tokenEmpty, .usersUnreadable,
            .usersFile,
            .tokenAndUsers, .tlsWithoutCertificate, .tls, .secondBroker, .lockUnusable:
            false
        }
    }

    /// The problem and the remedy, as a sentence without a full stop.
    package var description: String {
        switch self {
        case .portOutOfRange(let port): "port \(port) is not between 0 and 65535"
        case .openBeyondLoopback(let host):
            "without a token the broker listens on loopback only, not on \(host); "
                + "give --token-file FILE (or BUS_TOKEN_FILE), --users-file FILE, or --host 127.0.0.1"
        case .tokenMissing(let path):
            "the token file '\(path)' does not exist; put a long random text into it: openssl rand -hex 32 >\(path)"
        case .tokenUnreadable(let path): "the token file '\(path)' cannot be read"
        case .tokenEmpty(let path): "the token file '\(path)' is empty; put a long random text into it"
        case .usersUnreadable(let path): "the users file '\(path)' cannot be read"
        case .usersFile(let path, let fault): "the users file '\(path)': \(fault)"
        case .tokenAndUsers:
            "a token file and a users file are given; give one of them: with a users file each user has its own token"
        case .tlsWithoutCertificate: "TLS needs both a certificate and its key; give --tls-cert FILE and --tls-key FILE"
        case .tls(let error): "\(error); --tls-cert, --tls-key and --tls-ca (BUS_TLS_…) name files in PEM"
        case .portInUse(let port, let owner, let flag):
            "port \(port) is used\(owner.map { " by \($0)" } ?? ""); use \(flag) N or \(flag) 0"
        case .cannotListen(let reason): "cannot listen: \(reason)"
        case .secondBroker(let holder, let lockFile):
            "the store has a broker: \(holder) holds \(lockFile); run one broker and scale the services, "
                + "or give all of them a NATS cluster: BUS_URL=nats://a,b,c"
        case .lockUnusable(let path, let reason): "the lock file '\(path)' cannot be used: \(reason)"
        }
    }
}
