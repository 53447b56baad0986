"""Live water in the browser: a game in a thread, a server, and the page that shows it."""
