-- Requests of the benchmark for wrk: SCENARIO products or buy, TOKENS and IDS files with one entry a line, RUN a text
-- that makes keys unique. Customer i buys product i.
local scenario, run = os.getenv("SCENARIO"), os.getenv("RUN")
local requests, auth, bodies, count = {}, {}, {}, 0

local function lines(name)
    local list = {}
    for line in io.lines(os.getenv(name)) do list[#list + 1] = line end
    return list
end

function init()
    local ids = lines("IDS")
    for i, token in ipairs(lines("TOKENS")) do
        auth[i] = "Bearer " .. token
        bodies[i] = '{"productIdentifier":"' .. ids[i] .. '","quantity":1}'
        local ten = {}
        for j = 1, 10 do ten[j] = ids[(i * 10 + j) % #ids + 1] end
        requests[i] = wrk.format("GET", "/v1/products?ids=" .. table.concat(ten, ","), { ["Authorization"] = auth[i] })
    end
end

function request()
    count = count + 1
    local customer = count % #auth + 1
    if scenario == "products" then return requests[customer] end
    local headers = {
        ["Authorization"] = auth[customer], ["Content-Type"] = "application/json",
        ["Idempotency-Key"] = run .. "-" .. count,
    }
    return wrk.format("POST", "/v1/payments", headers, bodies[customer])
end

function done(summary, latency)
    local errors = summary.errors
    io.write(string.format('RESULT {"requests":%d,"us":%d,"p50us":%d,"p99us":%d,"bad":%d}\n', summary.requests,
        summary.duration, latency:percentile(50), latency:percentile(99),
        errors.status + errors.connect + errors.read + errors.write + errors.timeout))
end
