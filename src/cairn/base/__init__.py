"""What every room stands on: errors, values, durable writes, lazy loading, deadlines and child processes."""
