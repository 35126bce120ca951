"""What every package uses: errors, values, durable writes, lazy loading, deadlines and child processes."""
