internal import CCurl
import EventLoop
import Glibc
import StoreModels

/// libcurl's multi interface on a loop: the loop polls libcurl's sockets, and has its one timer.
///
/// Everything is called on the loop. No call blocks, because no transfer has a name to look up (``HostLookups``).
final class CurlMulti {
    private typealias Entry = (transfer: CurlTransfer, completion: (CURLcode) -> Void)

    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    private let loop: UVLoop
    private let timer: LoopTimer
    private var handle: UnsafeMutableRawPointer?
    private var polls: [curl_socket_t: PollHandle] = [:]
    private var entries: [UnsafeMutableRawPointer: Entry] = [:]

    init(loop: UVLoop) {
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
    }

    /// Ends all transfers without their completions.
    func close() {
        for easy in entries.keys { curl_multi_remove_handle(handle, easy) }
        curl_multi_cleanup(handle)
        handle = nil
        entries = [:]
        timer.close()
        for poll in polls.values { poll.close() }
        polls = [:]
    }

    /// Begins a transfer. Its completion is called later.
    /// - Returns: False when libcurl does not take it.
    func begin(_ transfer: CurlTransfer, _ completion: @escaping (CURLcode) -> Void) -> Bool {
        loop.preconditionIsolated()
        entries[transfer.easy] = (transfer, completion)
        guard curl_multi_add_handle(handle, transfer.easy) == CURLM_OK else {
            entries[transfer.easy] = nil
            return false
        }
        return true
    }

    /// Ends a transfer and its connection. Its completion is not called any more.
    func end(_ transfer: CurlTransfer) {
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
        var ended: [(Entry, CURLcode)] = []
        while let message = curl_multi_info_read(handle, &count) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle,
                let entry = entries.removeValue(forKey: easy)
            else { continue }
            ended.append((entry, message.pointee.data.result))
            curl_multi_remove_handle(handle, easy)
        }
        for (entry, code) in ended { entry.completion(code) }
    }
}

/// One POST on a connection of its own, which reads no more of the response than the sender's bounds.
///
/// The address of each connection is judged when its socket is made, so no name and no redirect leads to another one.
final class CurlTransfer {
    /// Why the transfer ended itself.
    enum Stop { case redirected, bodyIsEnough, headTooLarge }

    let easy: UnsafeMutableRawPointer
    private(set) var stop: Stop?
    /// The beginning of the body.
    private(set) var bodyStart: [UInt8] = []
    /// Whether the head of the last response has ended, and is no interim one's.
    private(set) var hasHead = false
    /// The response's first `Location`, cut after ``TargetPolicy/urlBytesMax``.
    private(set) var location: [UInt8]?
    /// Why the last address that was refused was.
    private(set) var refusal: String?

    private let targets: TargetPolicy
    private var lists: [UnsafeMutablePointer<curl_slist>] = []
    private var message = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private var headBytes = 0
    private var bodyBytes = 0

    /// - Parameter addresses: Of the target's host; none for a host that is an address.
    /// - Returns: Nil when memory is short.
    init?(_ target: TargetPolicy.Target, at addresses: [NetworkAddress], body: [UInt8], targets: TargetPolicy) {
        guard let easy = curl_easy_init() else { return nil }
        self.easy = easy
        self.targets = targets
        message.pointee = 0
        curl_easy_set_text(easy, CURLOPT_URL, target.url)
        curl_easy_set_text(easy, CURLOPT_PROTOCOLS_STR, "http,https")
        curl_easy_set_number(easy, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        // A proxy of the environment would make connections that are not judged.
        curl_easy_set_text(easy, CURLOPT_PROXY, "")
        curl_easy_set_number(easy, CURLOPT_NOSIGNAL, 1)
        // A server closes a connection that idles, maybe just when the next request is sent; where an endpoint is tried
        // once, that notification would have failed.
        curl_easy_set_number(easy, CURLOPT_FRESH_CONNECT, 1)
        curl_easy_set_number(easy, CURLOPT_FORBID_REUSE, 1)
        // Were a name looked up by libcurl after all, it would not wait for the resolver's thread.
        curl_easy_set_number(easy, CURLOPT_QUICK_EXIT, 1)
        setLists(of: target, at: addresses)
        curl_easy_set_number(easy, CURLOPT_POSTFIELDSIZE, body.count)
        body.withUnsafeBytes { bytes in
            _ = curl_easy_set_pointer(
                easy, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: bytes.baseAddress))
        }
        setCallbacks()
    }

    deinit {
        curl_easy_cleanup(easy)
        for list in lists { curl_slist_free_all(list) }
        message.deallocate()
    }

    /// The status of the response; nil until its head has ended.
    var status: Int? { hasHead ? curl_easy_get_number(easy, CURLINFO_RESPONSE_CODE) : nil }

    /// Whether a connection was made.
    var isConnected: Bool { curl_easy_get_number(easy, CURLINFO_LOCAL_PORT) > 0 }

    /// Whether no process listens at the address.
    var isPortClosed: Bool { curl_easy_get_number(easy, CURLINFO_OS_ERRNO) == ECONNREFUSED }

    /// libcurl's description of a failure.
    func message(of code: CURLcode) -> String {
        String(cString: message.pointee != 0 ? UnsafePointer(message) : curl_easy_strerror(code))
    }

    private func setLists(of target: TargetPolicy.Target, at addresses: [NetworkAddress]) {
        func list(_ lines: String...) -> UnsafeMutablePointer<curl_slist>? {
            let list = lines.reduce(nil) { curl_slist_append($0, $1) ?? $0 }
            if let list { lists.append(list) }
            return list
        }
        curl_easy_set_pointer(
            easy, CURLOPT_HTTPHEADER,
            list(
                "Content-Type: application/json", "User-Agent: storebus-notifier", "Connection: close",
                // A large body is sent at once, too.
                "Expect:"))
        guard !addresses.isEmpty else { return }
        let places = addresses.map { $0.isIPv4 ? $0.text : "[\($0.text)]" }.joined(separator: ",")
        // The plus has libcurl forget it after a minute.
        curl_easy_set_pointer(easy, CURLOPT_RESOLVE, list("+\(target.host):\(target.port):\(places)"))
    }

    private func setCallbacks() {
        let me = Unmanaged.passUnretained(self).toOpaque()
        curl_easy_set_pointer(easy, CURLOPT_ERRORBUFFER, message)
        curl_easy_set_pointer(easy, CURLOPT_HEADERDATA, me)
        curl_easy_set_write(easy, CURLOPT_HEADERFUNCTION) { bytes, _, count, owner in
            CurlTransfer.of(owner).takeHead(UnsafeRawBufferPointer(start: bytes, count: count)) ? count : 0
        }
        curl_easy_set_pointer(easy, CURLOPT_WRITEDATA, me)
        curl_easy_set_write(easy, CURLOPT_WRITEFUNCTION) { bytes, _, count, owner in
            CurlTransfer.of(owner).takeBody(UnsafeRawBufferPointer(start: bytes, count: count)) ? count : 0
        }
        curl_easy_set_pointer(easy, CURLOPT_OPENSOCKETDATA, me)
        curl_easy_set_open_socket(easy) { owner, _, place in
            guard let place else { return CURL_SOCKET_BAD }
            return CurlTransfer.of(owner).openSocket(&place.pointee)
        }
    }

    private static func of(_ owner: UnsafeMutableRawPointer?) -> CurlTransfer {
        Unmanaged<CurlTransfer>.fromOpaque(owner!).takeUnretainedValue()
    }

    // MARK: Callbacks of libcurl

    private func openSocket(_ place: inout curl_sockaddr) -> curl_socket_t {
        let address = withUnsafePointer(to: &place.addr) { NetworkAddress($0) }
        if let refusal = address.map({ targets.refusal(of: $0) }) ?? "of no family that is known" {
            self.refusal = refusal
            return CURL_SOCKET_BAD
        }
        return socket(place.family, place.socktype | CInt(SOCK_CLOEXEC.rawValue), place.protocol)
    }

    /// Takes a line of a head.
    /// - Returns: False to end the transfer.
    private func takeHead(_ line: UnsafeRawBufferPointer) -> Bool {
        headBytes += line.count
        guard headBytes <= HTTPSender.headBytesMax else { return ends(.headTooLarge) }
        if line.starts(with: "HTTP/".utf8) { location = nil }
        if line.elementsEqual("\r\n".utf8) || line.elementsEqual("\n".utf8) {
            let status = curl_easy_get_number(easy, CURLINFO_RESPONSE_CODE)
            hasHead = status >= 200
            // Its body is not read, and may not end.
            if location != nil, [301, 302, 303, 307, 308].contains(status) { return ends(.redirected) }
        } else if location == nil, let colon = line.firstIndex(of: UInt8(ascii: ":")),
            line[..<colon].elementsEqual("location".utf8, by: { $0 | 0x20 == $1 })
        {
            let value = line[(colon + 1)...].drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            location = value.prefix(TargetPolicy.urlBytesMax + 1).prefix { $0 > UInt8(ascii: " ") }
        }
        return true
    }

    private func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bodyBytes += bytes.count
        bodyStart += bytes.prefix(PrintableText.bytesMax - bodyStart.count)
        return bodyBytes < HTTPSender.bodyBytesMax || ends(.bodyIsEnough)
    }

    private func ends(_ stop: Stop) -> Bool {
        self.stop = stop
        return false
    }
}
