// The ground as instanced rectangles, each with the light and the fading of its four corners.
// Colours in and out are linear light, premultiplied on output.

#ifdef VERTEX
layout(location = 0) in vec4 sides;    // x0, y0, x1, y1 [m]
layout(location = 1) in float height;  // [m]
layout(location = 2) in vec3 colour;
layout(location = 3) in vec4 lit;      // share of light at (x0, y0), (x1, y0), (x0, y1), (x1, y1)
layout(location = 4) in vec4 solid;    // opacity of the ground at the same corners

uniform mat4 world_to_view;
uniform mat4 view_to_clip;

out vec2 within;                       // position in the rectangle, 0 to 1
flat out vec4 corner_light;
flat out vec4 corner_alpha;
flat out vec3 paint;

void main() {
    within = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    vec2 place = mix(sides.xy, sides.zw, within);
    corner_light = lit;
    corner_alpha = solid;
    paint = colour;
    gl_Position = view_to_clip * world_to_view * vec4(place, height, 1.0);
}
#endif

#ifdef FRAGMENT
in vec2 within;
flat in vec4 corner_light;
flat in vec4 corner_alpha;
flat in vec3 paint;

out vec4 light;

float blend(vec4 corners) {
    vec2 row = mix(corners.xz, corners.yw, within.x);
    return mix(row.x, row.y, within.y);
}

void main() {
    float alpha = blend(corner_alpha);
    light = vec4(paint * blend(corner_light) * alpha, alpha);
}
#endif
