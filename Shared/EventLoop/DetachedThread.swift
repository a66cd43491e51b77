internal import CLibUV
import Glibc

/// A thread of its own for work that blocks.
package enum DetachedThread {
    private final class Body: Sendable {
        let name: String
        let run: @Sendable () -> Void

        init(name: String, run: @escaping @Sendable () -> Void) {
            self.name = name
            self.run = run
        }
    }

    /// Runs `body` on a new thread, which ends with it.
    /// - Parameters:
    ///   - name: Its first 15 bytes name the thread.
    ///   - stackBytes: The size of its stack, or nil for the system's.
    /// - Throws: If the kernel gives no thread.
    package static func start(
        name: String, stackBytes: Int? = nil, _ body: @escaping @Sendable () -> Void
    ) throws(UVError) {
        var (thread, attributes) = (pthread_t(), pthread_attr_t())
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
        if let stackBytes { pthread_attr_setstacksize(&attributes, stackBytes) }
        let reference = Unmanaged.passRetained(Body(name: name, run: body))
        let result = pthread_create(
            &thread, &attributes,
            { argument in
                let body = Unmanaged<Body>.fromOpaque(argument!).takeRetainedValue()
                pthread_setname_np(pthread_self(), String(body.name.prefix(15)))
                body.run()
                return nil
            }, reference.toOpaque())
        guard result == 0 else {
            reference.release()
            throw UVError.fromErrno(result, "start the thread \(name)")
        }
    }
}
