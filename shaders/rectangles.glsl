// Rectangles of one colour each, in window coordinates from -1 to 1.

#ifdef VERTEX
layout(location = 0) in vec4 corners;  // left, bottom, right, top
layout(location = 1) in vec3 colour;
flat out vec3 shown;

void main() {
    vec2 share = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    gl_Position = vec4(mix(corners.xy, corners.zw, share), 0.0, 1.0);
    shown = colour;
}
#endif

#ifdef FRAGMENT
flat in vec3 shown;
out vec4 result;

void main() {
    result = vec4(shown, 1.0);
}
#endif
