// Lines in space with round ends, as instanced rectangles that face the eye; the edge is computed, one pixel wide.
// Colours in and out are linear light, premultiplied on output.

#ifdef VERTEX
layout(location = 0) in vec3 start;    // [m]
layout(location = 1) in vec3 end;      // [m]
layout(location = 2) in vec2 width;    // width as a rod [m], and least width on the screen [pixel]
layout(location = 3) in vec4 colour;

uniform mat4 world_to_view;
uniform mat4 view_to_clip;
uniform vec2 framebuffer;              // [pixel]
uniform float focal;                   // [pixel]
uniform float near;                    // [m]

noperspective out vec2 place;          // along and across the line, from its first end [pixel]
noperspective out float half_width;    // [pixel]
noperspective out vec4 world;          // point on the line [m], divided by its depth, and 1 / depth
flat out float reach;                  // length of the line [pixel]
flat out float rod;                    // 1 for a rod, 0 for a line without thickness
flat out vec4 paint;

void main() {
    vec3 a = (world_to_view * vec4(start, 1.0)).xyz;
    vec3 b = (world_to_view * vec4(end, 1.0)).xyz;
    vec3 p = start;
    vec3 q = end;
    float front = -1.01 * near;
    if (a.z > front && b.z > front) {
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
        return;
    }
    // Clip the part behind the eye, which would appear mirrored.
    if (a.z > front) { float t = (front - a.z) / (b.z - a.z); a = mix(a, b, t); p = mix(p, q, t); }
    if (b.z > front) { float t = (front - b.z) / (a.z - b.z); b = mix(b, a, t); q = mix(q, p, t); }
    vec4 first = view_to_clip * vec4(a, 1.0);
    vec4 second = view_to_clip * vec4(b, 1.0);
    first /= first.w;
    second /= second.w;
    vec2 from = first.xy * framebuffer * 0.5;
    vec2 to = second.xy * framebuffer * 0.5;
    reach = length(to - from);
    vec2 along = reach > 0.0 ? (to - from) / reach : vec2(1.0, 0.0);
    vec2 across = vec2(-along.y, along.x);
    bool last = (gl_VertexID & 1) == 1;
    vec3 here = last ? b : a;
    float thick = max(-width.x * focal / here.z, width.y);
    half_width = max(0.5 * thick, 0.5);
    float margin = half_width + 1.0;
    place = vec2(last ? reach + margin : -margin, (gl_VertexID >> 1) == 1 ? margin : -margin);
    vec2 pixel = from + along * place.x + across * place.y;
    gl_Position = vec4(pixel * 2.0 / framebuffer, last ? second.z : first.z, 1.0);
    world = vec4(last ? q : p, 1.0) / -here.z;
    rod = width.x > 0.0 ? 1.0 : 0.0;
    // A line thinner than a pixel is drawn one pixel wide with less opacity.
    paint = colour * vec4(1.0, 1.0, 1.0, 0.5 * thick / half_width);
}
#endif

#ifdef FRAGMENT
noperspective in vec2 place;
noperspective in float half_width;
noperspective in vec4 world;
flat in float reach;
flat in float rod;
flat in vec4 paint;

uniform vec4 cut;              // points x with cut.xyz . x + cut.w > 0 are hidden

out vec4 light;

const float ROUND = 0.55;      // fraction of the light that is absent at the side of a rod

void main() {
    vec3 here = world.xyz / world.w;
    if (dot(cut.xyz, here) + cut.w > 0.0) discard;
    float distance = length(vec2(place.x - clamp(place.x, 0.0, reach), place.y));
    float alpha = clamp(half_width - distance + 0.5, 0.0, 1.0) * paint.a;
    if (alpha <= 0.0) discard;
    float side = min(distance / half_width, 1.0);
    float relief = 1.0 - rod * ROUND * side * side;
    light = vec4(paint.rgb * relief * alpha, alpha);
}
#endif
