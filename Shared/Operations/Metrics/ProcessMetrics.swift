import CoreMetrics
import EventLoop
import Glibc

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The gauges every process has, named as by Prometheus' own clients. The loop's longest turn is added.
struct ProcessMetrics: Sendable {
    private let resident: any MeterHandler
    private let descriptors: any MeterHandler
    private let cpu: MetricSeries
    private let turn: any MeterHandler
    private let loop: UVLoop

    init(registry: PrometheusRegistry, loop: UVLoop) {
        self.loop = loop
        resident = registry.makeMeter(label: "process_resident_memory_bytes", dimensions: [])
        descriptors = registry.makeMeter(label: "process_open_fds", dimensions: [])
        cpu = registry.series("process_cpu_seconds_total", [], .counter)
        turn = registry.makeMeter(label: "storebus_loop_longest_turn_seconds", dimensions: [])
    }

    /// Reads the numbers. The longest turn begins anew each time.
    func refresh() {
        resident.set(Double(Self.residentBytes))
        descriptors.set(Double(Self.openDescriptors))
        cpu.set(Self.cpuSeconds)
        turn.set(Double(loop.resetLongestTurn()) / 1e6)
    }

    private static var residentBytes: Int {
        guard let data = FileManager.default.contents(atPath: "/proc/self/statm") else { return 0 }
        let fields = String(decoding: data, as: UTF8.self).split(separator: " ")
        return fields.count > 1 ? (Int(fields[1]) ?? 0) * sysconf(CInt(_SC_PAGESIZE)) : 0
    }

    private static var openDescriptors: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
    }

    private static var cpuSeconds: Double {
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
            + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
    }
}
