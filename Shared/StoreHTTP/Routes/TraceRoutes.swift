import StoreModels

/// The traces that the processes of the store keep.
package enum TraceRoutes {
    /// Lists the newest traces, or those of an identifier.
    ///
    /// Each process keeps its last 2048 spans in memory. The gateway asks all processes over the bus, and a process that
    /// does not answer in time is missing. With `of` the traces are those with this identifier, or with a span about the
    /// transaction or the notification of this identifier. Else they begin with a span that the query admits.
    package static let list = HTTPEndpoint<Empty, TracesResponse>(
        "listTraces", .get, "/admin/v1/traces", .admin,
        parameters: [.tracesOf, .slowerThan, .traceLimit], needs: .storage)
}

/// The response of `GET /admin/v1/traces`: the newest first.
package struct TracesResponse: Hashable, Sendable, Codable {
    /// A trace as far as the processes keep it.
    package struct Trace: Hashable, Sendable, Codable {
        /// 32 hexadecimal digits.
        package var traceId: String
        /// In the order of their beginnings.
        package var spans: [TraceSpan]
    }

    /// At most as many as the query's `limit`.
    package var traces: [Trace]
}
