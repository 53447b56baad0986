// Only how far away it is.
void main() {}
