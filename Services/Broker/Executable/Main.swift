import ArgumentParser
import Broker
import Operations
import StoreModels

/// `broker`: the message bus that every other service joins.
@main struct BrokerMain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "broker", abstract: "The message bus of Storebus.",
        discussion: """
            Services join it at storebus://HOST:PORT, with --tls-cert and --tls-key at tls://HOST:PORT. Monitoring pages (/healthz /varz /connz /subsz /metrics) are on \
            --monitor-port, on loopback. Without a token it listens on loopback only.
            """, version: StorebusVersion.number)

    @OptionGroup var options: ServiceOptions

    @Option(
        help: ArgumentHelp("Clients need the token in this file to sign in. (BUS_TOKEN_FILE)", valueName: "path"))
    var tokenFile: String?

    @Option(
        help: ArgumentHelp(
            "Who may sign in, each with a token and permissions of its own. (BUS_USERS_FILE)", valueName: "path"))
    var usersFile: String?

    @Option(
        help: ArgumentHelp(
            "Start only when no other broker holds this file, and hold it. (BUS_LOCK_FILE)", valueName: "path"))
    var lockFile: String?

    @OptionGroup var tls: TLSOptions

    @Flag(help: "Print the users file as a nats.conf with the same users and permissions, tokens included, and end.")
    var printNatsConf = false

    func validate() throws {
        if printNatsConf, usersFile == nil { throw ValidationError("--print-nats-conf needs --users-file PATH") }
    }

    func run() async throws {
        if printNatsConf, let usersFile { return try Self.printNATSConfiguration(usersFile) }
        try await ServiceMain.runProcess(
            name: "broker", options: options, flags: tls.settings, monitorPort: BrokerConfiguration.monitorPort
        ) { [tokenFile, usersFile, lockFile] process in
            [try await process.startBroker(tokenFile: tokenFile, usersFile: usersFile, lockFile: lockFile)]
        }
    }

    /// The files of the bus's TLS.
    struct TLSOptions: ParsableArguments {
        @Option(
            help: ArgumentHelp(
                "Speak TLS with this certificate and those above it, in PEM. (BUS_TLS_CERT)", valueName: "path"))
        var tlsCert: String?

        @Option(help: ArgumentHelp("The certificate's private key, in PEM. (BUS_TLS_KEY)", valueName: "path"))
        var tlsKey: String?

        @Option(
            help: ArgumentHelp(
                "Clients need a certificate signed by an authority of this file. (BUS_TLS_CA)", valueName: "path"))
        var tlsCa: String?

        /// The flags as settings, under their keys.
        var settings: [String: String] {
            ["bus.tls.cert": tlsCert, "bus.tls.key": tlsKey, "bus.tls.ca": tlsCa].compactMapValues { $0 }
        }
    }

    private static func printNATSConfiguration(_ usersFile: String) throws {
        do throws(BrokerStartError) {
            print(NATSConfiguration(try UsersFile.read(usersFile)).text, terminator: "")
        } catch {
            throw ValidationError(error.description)
        }
    }
}
