import StoreModels

/// A kind of fault that a run can inject, by its name on the command line.
package enum FaultName: String, CaseIterable, Sendable {
    /// SIGKILL. The supervisor starts the process again.
    case kill
    /// SIGSTOP, and SIGCONT at the end.
    case pause
    /// SIGTERM. The supervisor starts the process again.
    case restart
    /// Messages to and from the service are lost.
    case drop
    /// Messages to and from the service arrive twice.
    case duplicate
    /// Messages to and from the service arrive late.
    case delay
    /// Messages to and from the service overtake each other.
    case reorder
    /// Replies to the service have a flipped bit in their header.
    case corrupt
    /// The service is cut off from the bus in both directions.
    case partition
    /// The processor approves after seconds.
    case slowProcessor = "slow-processor"
    /// Requests arrive at ten times the rate, whether or not the ones before were answered.
    case overload
    /// The disk under the service's database has no room left.
    case diskFull = "disk-full"
    /// The service's wall clock is hours off, while monotonic time goes on.
    case clockJump = "clock-jump"
    /// Bytes from the broker to the service wait, as behind a cut cable.
    case cutTo = "cut-to"
    /// Bytes from the service to the broker wait.
    case cutFrom = "cut-from"
    /// Connections between service and broker end in the middle of a frame, again and again.
    case tornFrames = "torn-frames"
    /// The process can open no further file or socket.
    case descriptors
    /// Clients stop to read the streams they have open.
    case slowObservers = "slow-observers"
    /// Strangers hold connections to the gateway: they pipeline and read nothing, or send halves of requests.
    case hostileClients = "hostile-clients"
    /// The servers of another app stall behind their head, drip, and answer bytes that are not text.
    case hostileWebhooks = "hostile-webhooks"

    /// The tool that injects a fault.
    package enum Means: Sendable {
        /// Signals to the process.
        case signal
        /// The rules of the broker's fault injector.
        case busRules
        /// Settings of the run's own accounts.
        case testerSettings
        /// The run's own requests.
        case load
        /// A file system of the service's own, in a mount namespace.
        case disk
        /// libfaketime, loaded into the service.
        case clock
        /// A relay of the run's own between the service and the broker.
        case relay
        /// Limits of the process.
        case limits
        /// The run's own streams.
        case streams
        /// Connections of the run's own, which have no customer.
        case peers
        /// The run's own receiving server.
        case webhooks

        /// Whether the store must have been started by the run for it.
        package var needsOwnStore: Bool { [.disk, .clock, .relay].contains(self) }
    }

    package var means: Means {
        switch self {
        case .kill, .pause, .restart: .signal
        case .drop, .duplicate, .delay, .reorder, .corrupt, .partition: .busRules
        case .slowProcessor: .testerSettings
        case .overload: .load
        case .diskFull: .disk
        case .clockJump: .clock
        case .cutTo, .cutFrom, .tornFrames: .relay
        case .descriptors: .limits
        case .slowObservers: .streams
        case .hostileClients: .peers
        case .hostileWebhooks: .webhooks
        }
    }

    /// The fault of the bus that it is. Nil for faults by other means.
    package var busFault: BusFault? { BusFault(rawValue: rawValue) }

    /// Whether only its own peers may notice it.
    package var isHostile: Bool { self == .hostileClients || self == .hostileWebhooks }

    /// Whether the fault is a single instant, after which its target comes back by itself.
    package var isInstant: Bool { self == .kill || self == .restart }

    /// The services it can hit, of those a run has.
    package func targets(_ services: [String]) -> [String] {
        switch self {
        case .slowProcessor: services.filter { $0 == "payment-processor" }
        case .overload, .slowObservers, .hostileClients: services.filter { $0 == "gateway" }
        case .hostileWebhooks: services.filter { $0 == "app-store-server" }
        case .diskFull: services.filter { $0 != "broker" && $0 != "eligibility" && !Self.isOffTheBus($0) }
        case .cutTo, .cutFrom, .tornFrames: services.filter { $0 != "broker" && !Self.isOffTheBus($0) }
        case .clockJump: services.filter { !Self.isOffTheBus($0) }
        case _ where means == .busRules: services.filter { !Self.isOffTheBus($0) }
        default: services
        }
    }

    /// Whether a service of a compose project does not use Storebus's broker: its database, its door, or NATS.
    private static func isOffTheBus(_ service: String) -> Bool {
        ["postgres", "door"].contains(service) || service.utf8.starts(with: "nats-".utf8)
    }

    /// The faults of a run that does not name any. A seed replays them in this order.
    package static let usual = allCases.filter { $0 != .overload }
}

/// One fault of a schedule.
package struct PlannedFault: Hashable, Sendable {
    /// Counted from 1.
    package var number: Int
    package var name: FaultName
    /// The service's name.
    package var target: String
    /// Chooses among the processes of a service with several: the remainder by their count.
    package var replica: Int = 0
    /// Since the faults' phase began.
    package var begin: Duration = .zero
    /// Zero for an instant fault.
    package var length: Duration = .zero

    package var end: Duration { begin + length }

    /// Seconds by which a `clock-jump` is off: forwards or back, by the schedule.
    package var clockJump: Int { [7_200, -3_600][replica % 2] }
}
