import ArgumentParser
import Broker
import Operations

/// `broker`: the message bus that every other service joins.
@main struct BrokerMain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "broker", abstract: "The message bus of Storebus.",
        discussion: """
            Services join it at storebus://HOST:PORT. Monitoring pages (/healthz /varz /connz /subsz /metrics) are on \
            --monitor-port, on loopback. Without a token it listens on loopback only.
            """, version: StorebusVersion.text)

    @OptionGroup var options: ServiceOptions

    @Option(
        help: ArgumentHelp("Clients need the token in this file to sign in. (BUS_TOKEN_FILE)", valueName: "path"))
    var tokenFile: String?

    func run() async throws {
        try await ServiceMain.runProcess(name: "broker", options: options, monitorPort: BrokerConfiguration.monitorPort)
        {
            [tokenFile] process in [try await process.startBroker(tokenFile: tokenFile)]
        }
    }
}
