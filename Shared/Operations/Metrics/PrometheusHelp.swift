/// The meaning of each Storebus metric. Prometheus asks for it, and swift-metrics has no place for it.
enum PrometheusHelp {
    /// One sentence, or nil for a metric that Storebus does not define.
    static func text(of name: String) -> String? { texts[name] }

    private static let texts = [
        "process_cpu_seconds_total": "Time this process has computed.",
        "process_open_fds": "Open file descriptors.",
        "process_resident_memory_bytes": "Resident memory.",
        "storebus_call_duration_seconds": "Requests to other services, by service, endpoint and outcome.",
        "storebus_call_retries_total": "Requests sent once more, by caller.",
        "storebus_charges_total": "Charges the processor has decided, by outcome.",
        "storebus_events_dropped_total": "Events the bus did not take, by caller.",
        "storebus_http_accept_pauses_total": "Times the listener waited at its limit of descriptors.",
        "storebus_http_connections_closed_total": "Connections closed for their client's slowness, by reason.",
        "storebus_http_refused_total": "HTTP requests refused for overload, by urgency.",
        "storebus_http_request_duration_seconds": "HTTP requests, by route.",
        "storebus_http_requests_active": "HTTP requests under way.",
        "storebus_http_requests_total": "HTTP requests, by route, method and status.",
        "storebus_log_reader_faults_total": "Times a log did not continue behind a reader, by log and fault.",
        "storebus_loop_longest_turn_seconds": "Longest turn of the event loop since the page was last read.",
        "storebus_notification_attempts_total": "Attempts to deliver a notification, by result.",
        "storebus_purchases_total": "Purchases that became purchased, failed or deferred, by state.",
        "storebus_refunds_total": "Refunds the processor has made.",
        "storebus_renewals_total": "Renewals that were due, by outcome.",
        "storebus_request_duration_seconds": "Requests answered, by endpoint and code.",
        "storebus_streams_open": "Streams of observers.",
        "storebus_taken_back_total": "Purchases taken back, with the money or without, by ending.",
    ]
}
