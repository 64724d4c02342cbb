-- One line for the runner: requests, duration, and percentiles in microseconds.
done = function(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format("race %d %d %d %d %d %d\n",
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    latency:percentile(99.9),
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
