internal import CCurl
import EventLoop

/// libcurl's multi interface on a loop: the loop polls libcurl's sockets, and has its one timer.
///
/// Everything is called on the loop. No call blocks: libcurl looks names up on threads, which it leaves when a transfer
/// ends before them.
package final class CurlMulti {
    private typealias Entry = (transfer: CurlTransfer, completion: (CurlFailure?) -> Void)

    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    private let loop: UVLoop
    private let timer: LoopTimer
    private var handle: UnsafeMutableRawPointer?
    private var polls: [curl_socket_t: PollHandle] = [:]
    private var entries: [UnsafeMutableRawPointer: Entry] = [:]

    /// - Parameter connectionsMax: Maximum number of connections to a host. Further transfers wait for one. Nil sets no
    ///   limit.
    package init(loop: UVLoop, connectionsMax: Int? = nil) {
        self.loop = loop
        timer = LoopTimer(loop: loop)
        handle = Self.isReady ? curl_multi_init() : nil
        curl_multi_set_callbacks(
            handle,
            { _, socket, events, owner, _ in
                CurlMulti.of(owner).watch(socket, events)
                return 0
            },
            { _, milliseconds, owner in
                CurlMulti.of(owner).wait(milliseconds)
                return 0
            }, Unmanaged.passUnretained(self).toOpaque())
        if let connectionsMax { curl_multi_set_number(handle, CURLMOPT_MAX_HOST_CONNECTIONS, connectionsMax) }
    }

    /// Ends all transfers without their completions.
    package func close() {
        for easy in entries.keys { curl_multi_remove_handle(handle, easy) }
        curl_multi_cleanup(handle)
        handle = nil
        entries = [:]
        timer.close()
        for poll in polls.values { poll.close() }
        polls = [:]
    }

    /// Begins a transfer. Its completion is called later, with nil after a whole response.
    /// - Returns: False when libcurl does not take it.
    package func begin(_ transfer: CurlTransfer, _ completion: @escaping (CurlFailure?) -> Void) -> Bool {
        loop.preconditionIsolated()
        entries[transfer.easy] = (transfer, completion)
        guard curl_multi_add_handle(handle, transfer.easy) == CURLM_OK else {
            entries[transfer.easy] = nil
            return false
        }
        return true
    }

    /// Reads on where a receiver has paused a transfer.
    package func resume(_ transfer: CurlTransfer) {
        loop.preconditionIsolated()
        guard entries[transfer.easy] != nil else { return }
        curl_easy_pause(transfer.easy, CURLPAUSE_RECV_CONT)
    }

    /// Ends a transfer and its connection. Its completion is not called any more.
    package func end(_ transfer: CurlTransfer) {
        loop.preconditionIsolated()
        guard entries.removeValue(forKey: transfer.easy) != nil else { return }
        curl_multi_remove_handle(handle, transfer.easy)
    }

    private static func of(_ owner: UnsafeMutableRawPointer?) -> CurlMulti {
        Unmanaged<CurlMulti>.fromOpaque(owner!).takeUnretainedValue()
    }

    // MARK: Callbacks of libcurl

    private func watch(_ socket: curl_socket_t, _ wanted: CInt) {
        guard wanted != CURL_POLL_REMOVE else {
            polls.removeValue(forKey: socket)?.close()
            return
        }
        var events: PollHandle.Events = []
        if wanted & CURL_POLL_IN != 0 { events.insert(.readable) }
        if wanted & CURL_POLL_OUT != 0 { events.insert(.writable) }
        // What cannot be watched, because the loop closes, ends at its deadline.
        guard let poll = try? polls[socket] ?? PollHandle(loop: loop, fileDescriptor: socket) else { return }
        polls[socket] = poll
        try? poll.start(events) { [weak self] result in
            // Without a bit libcurl looks itself. That of an error would count for the next address's socket, too.
            guard case .success(let events) = result else { return self?.act(socket, 0) ?? () }
            self?.act(
                socket,
                (events.contains(.readable) ? CURL_CSELECT_IN : 0)
                    | (events.contains(.writable) ? CURL_CSELECT_OUT : 0))
        }
    }

    private func wait(_ milliseconds: Int) {
        guard milliseconds >= 0 else { return timer.stop() }
        timer.start(after: .milliseconds(milliseconds)) { [weak self] in self?.act(CURL_SOCKET_BAD, 0) }
    }

    // MARK: Calls of libcurl

    /// - Parameter socket: `CURL_SOCKET_BAD`, which is `CURL_SOCKET_TIMEOUT`, for the timer.
    private func act(_ socket: curl_socket_t, _ events: CInt) {
        var count: CInt = 0
        curl_multi_socket_action(handle, socket, events, &count)
        var ended: [(Entry, CurlFailure?)] = []
        while let message = curl_multi_info_read(handle, &count) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle,
                let entry = entries.removeValue(forKey: easy)
            else { continue }
            ended.append((entry, entry.transfer.failure(message.pointee.data.result)))
            curl_multi_remove_handle(handle, easy)
        }
        for (entry, failure) in ended { entry.completion(failure) }
    }
}
