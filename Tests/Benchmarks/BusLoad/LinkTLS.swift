import COpenSSL
import Glibc

/// TLS of one connection, by OpenSSL's own reads and writes on the socket. The server's certificate is not checked.
final class LinkTLS {
    /// The plaintext of one record, at most.
    private static let recordBytes = 16_384

    private let ssl: OpaquePointer
    private let socket: CInt

    /// What the connections share. One cipher, so that both servers encrypt alike.
    static func context() throws(LoadError) -> OpaquePointer {
        guard let context = SSL_CTX_new(TLS_client_method()) else { throw LoadError("no OpenSSL") }
        tls_context_configure(context)
        SSL_CTX_set_ciphersuites(context, "TLS_AES_128_GCM_SHA256")
        return context
    }

    /// Shakes hands on a socket that blocks.
    /// - Parameter skipsLine: Whether a line in the clear comes first.
    init(_ context: OpaquePointer, _ socket: CInt, skipsLine: Bool) throws(LoadError) {
        guard let ssl = SSL_new(context) else { throw LoadError("no OpenSSL") }
        self.ssl = ssl
        self.socket = socket
        var byte: UInt8 = 0
        while skipsLine, byte != UInt8(ascii: "\n") {
            guard recv(socket, &byte, 1, 0) == 1 else { throw LoadError("the server closed the connection") }
        }
        SSL_set_fd(ssl, socket)
        guard SSL_connect(ssl) == 1 else { throw LoadError("no TLS with the server") }
    }

    deinit { SSL_free(ssl) }

    /// Sends all of it: OpenSSL wants a record that the kernel took in part again with the same bytes, so this waits.
    func send(_ bytes: UnsafeRawBufferPointer) throws(LoadError) -> Int {
        var sent = 0
        while sent < bytes.count {
            let count = SSL_write(ssl, bytes.baseAddress! + sent, CInt(min(bytes.count - sent, Self.recordBytes)))
            if count <= 0 {
                guard SSL_get_error(ssl, count) == SSL_ERROR_WANT_WRITE else {
                    throw LoadError("the server closed the connection")
                }
                var room = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
                guard poll(&room, 1, 5000) > 0 else { throw LoadError("nothing was taken for five seconds") }
                continue
            }
            sent += Int(count)
        }
        return sent
    }

    /// Reads whole records, as `recv` would. What is left stays in the kernel, where `poll` sees it.
    func receive(_ room: UnsafeMutableRawBufferPointer) -> Int {
        var read = 0
        while room.count - read >= Self.recordBytes {
            let count = SSL_read(ssl, room.baseAddress! + read, CInt(room.count - read))
            if count <= 0 {
                guard SSL_get_error(ssl, count) == SSL_ERROR_WANT_READ else { return read }
                if read == 0 {
                    errno = EAGAIN
                    return -1
                }
                return read
            }
            read += Int(count)
        }
        return read
    }
}
