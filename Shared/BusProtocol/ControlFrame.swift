/// The small frames both sides send: liveness and goodbye.
package enum ControlFrame {
    /// `{"op":"ping","t":17}`
    package static func ping(t: Int? = nil, into output: inout [UInt8]) {
        let frame = FrameWriter(.ping, into: &output)
        frame.member(.t, t, into: &output)
        frame.finish(into: &output)
    }

    /// `{"op":"pong","t":17}`, with the `t` of the ping as it stood.
    package static func pong(echoing t: [UInt8]? = nil, into output: inout [UInt8]) {
        let frame = FrameWriter(.pong, into: &output)
        if let t { frame.raw(.t, t.span, into: &output) }
        frame.finish(into: &output)
    }

    /// `{"op":"bye","why":"shutting down"}`: nothing follows it.
    package static func bye(why: String, into output: inout [UInt8]) {
        let frame = FrameWriter(.bye, into: &output)
        frame.member(.why, why, into: &output)
        frame.finish(into: &output)
    }

    /// `{"op":"drain","in_ms":5000,"why":"shutting down"}`: within that time the broker says `bye`. Broker only.
    package static func drain(inMilliseconds: Int, why: String, into output: inout [UInt8]) {
        let frame = FrameWriter(.drain, into: &output)
        frame.member(.inMilliseconds, inMilliseconds, into: &output)
        frame.member(.why, why, into: &output)
        frame.finish(into: &output)
    }
}
