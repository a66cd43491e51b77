/// `/metrics`: the counters in Prometheus text format.
enum BrokerMetrics {
    static func text(_ core: BrokerCore, _ process: ProcessStats) -> String {
        let counters = core.counters
        var lines = ""
        add("connections", .gauge, "Connections now.", core.livingConnections, &lines)
        add("subscriptions", .gauge, "Subscriptions now.", core.subscriptionCount, &lines)
        add("pending_bytes", .gauge, "Bytes the network has not taken.", core.totalPendingBytes, &lines)
        add("resident_bytes", .gauge, "Resident memory.", process.residentBytes, &lines)
        add("loop_lag_seconds", .gauge, "Longest wait for the loop lately.", process.loopLagSeconds, &lines)
        add("connections_total", .counter, "Connections accepted.", counters.totalConnections, &lines)
        add("messages_in_total", .counter, "Messages published.", counters.traffic.messagesIn, &lines)
        add("messages_out_total", .counter, "Messages delivered.", counters.traffic.messagesOut, &lines)
        add("bytes_in_total", .counter, "Bytes received.", counters.traffic.bytesIn, &lines)
        add("bytes_out_total", .counter, "Bytes written.", counters.traffic.bytesOut, &lines)
        add("takers_lost_total", .counter, "Requests whose taker has gone.", counters.takersLost, &lines)
        add("no_responders_total", .counter, "Requests without a responder.", counters.noResponders, &lines)
        add("no_interest_total", .counter, "Messages without a subscriber.", counters.noInterest, &lines)
        add("no_eligible_total", .counter, "Messages no queue member could take.", counters.noEligible, &lines)
        add("permissions_denied_total", .counter, "Refused for permission.", counters.permissionsDenied, &lines)
        add("slow_consumers_total", .counter, "Connections closed as slow.", counters.slowConsumers, &lines)
        add("stale_connections_total", .counter, "Connections closed as stale.", counters.staleConnections, &lines)
        add("dropped_total", .counter, "Messages dropped for slow readers.", counters.dropped, &lines)
        add("replaced_total", .counter, "Connections replaced by the same instance.", counters.replaced, &lines)
        add("auth_failures_total", .counter, "Failed or late sign-ins.", counters.authFailures, &lines)
        addErrors(counters.errors, &lines)
        if let chaos = core.chaos { addFaults(chaos.counts, &lines) }
        return lines
    }

    private enum Kind: String { case gauge, counter }

    private static func add(
        _ name: String, _ kind: Kind, _ help: String, _ value: some CustomStringConvertible, _ lines: inout String
    ) {
        let full = "storebus_broker_\(name)"
        lines += "# HELP \(full) \(help)\n# TYPE \(full) \(kind.rawValue)\n\(full) \(value)\n"
    }

    private static func addFaults(_ faults: [ChaosAction: Int], _ lines: inout String) {
        let full = "storebus_broker_chaos_faults_total"
        lines += "# HELP \(full) Faults made on demand, by action.\n# TYPE \(full) counter\n"
        for action in ChaosAction.allCases {
            lines += "\(full){action=\"\(action.rawValue)\"} \(faults[action] ?? 0)\n"
        }
    }

    private static func addErrors(_ errors: [String: Int], _ lines: inout String) {
        let full = "storebus_broker_errors_total"
        lines += "# HELP \(full) Error frames sent, by code.\n# TYPE \(full) counter\n"
        for (code, count) in errors.sorted(by: { $0.key < $1.key }) {
            lines += "\(full){code=\"\(code)\"} \(count)\n"
        }
    }
}
