// Up to version 7 Vite makes workers one script each, which what imports on demand cannot be.
export default { worker: { format: 'es' } };
