import EventLoop

extension BrokerTransport {
    /// The tick interval while delayed messages or slices wait.
    static let chaosTickInterval: Duration = .milliseconds(5)

    /// Takes the output of a connection affected by a fault.
    /// - Returns: The number of bytes still to be sent, or nil for other connections, whose bytes are sent normally.
    func disturb(
        _ chaos: Chaos, _ cid: Int, _ stream: TCPStream, _ bytes: [UInt8], _ ending: Ending?
    ) -> Int? {
        if chaos.blackholes.contains(cid) {
            stream.stopReading()
            if ending != nil { stream.close() }
            return stream.pendingBytes
        }
        guard var slices = chaos.slices[cid] else { return nil }
        slices.append(bytes, ending: ending)
        chaos.slices[cid] = slices
        return stream.pendingBytes + slices.bytes.count
    }

    /// Sends each sliced connection its next piece. After the last piece the connection is an ordinary one again.
    func sendSlices(_ chaos: Chaos) {
        for (cid, rest) in chaos.slices {
            guard let stream = stream(of: cid) else {
                chaos.slices[cid] = nil
                continue
            }
            var slices = rest
            stream.write(slices.next())
            chaos.slices[cid] = slices.bytes.isEmpty ? nil : slices
            core.progressed(
                cid, pendingBytes: stream.pendingBytes + slices.bytes.count, at: stream.lastWriteProgress)
            if slices.bytes.isEmpty { end(stream, slices.ending) }
        }
    }
}
