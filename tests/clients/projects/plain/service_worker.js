// Keeps every file that was asked for once, and gives it out when the server is gone.
self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('fetch', (event) => {
  event.respondWith(
    (async () => {
      const cache = await caches.open('files');
      try {
        const response = await fetch(event.request);
        if (response.ok) await cache.put(event.request.url, response.clone());
        return response;
      } catch (error) {
        const kept = await cache.match(event.request.url);
        if (kept) return kept;
        throw error;
      }
    })(),
  );
});
